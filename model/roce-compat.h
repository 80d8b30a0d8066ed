/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_COMPAT_H
#define ROCE_COMPAT_H

/**
 * @file
 * @ingroup roce
 * Every difference between the supported ns-3 releases (3.35 to 3.48) that the module has to
 * bridge.
 *
 * Features are detected from the ns-3 headers themselves, never from a release number, because the
 * number is not available to C++ in all of them. This header is private: it is not part of
 * ns3/roce-module.h, so the Python bindings do not parse it.
 */

#ifdef ROCE_EVENTS_ARE_FUNCTIONS
// Up to ns-3.35 an event calls a function or a method, not a lambda. The build description of these
// releases sets the macro and has this header included ahead of every file: this must be declared
// before ns3/simulator.h is read.
#include "ns3/event-impl.h"

#include <type_traits>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Make an event of a lambda.
 * @tparam F type of the lambda
 * @param f the lambda, without parameters
 * @return the event
 */
template <typename F, typename = std::enable_if_t<std::is_class_v<F>>>
EventImpl*
MakeEvent(F f)
{
    /// The event.
    class LambdaEvent : public EventImpl
    {
      public:
        /// @param f the lambda
        explicit LambdaEvent(F f)
            : m_f(f)
        {
        }

      private:
        void Notify() override
        {
            m_f();
        }

        F m_f; //!< the lambda
    };

    return new LambdaEvent(f);
}

} // namespace ns3
#endif

#include "ns3/callback.h"
#include "ns3/enum.h"
#include "ns3/test.h"

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace rocecompat
{

/**
 * @brief Form that exists where ns-3's MakeEnumAccessor takes the enumeration as a parameter.
 * @tparam E the enumeration
 * @tparam Args a member pointer, or a setter and a getter
 * @param args what MakeEnumAccessor takes
 * @return the accessor
 */
template <typename E, typename... Args>
auto
MakeEnumAccessorImpl(int, Args&&... args)
    -> decltype(MakeEnumAccessor<E>(std::forward<Args>(args)...))
{
    return MakeEnumAccessor<E>(std::forward<Args>(args)...); // ns-3.41 and later
}

/**
 * @brief Form for ns-3 before 3.41, whose accessor does not know the type of the enumeration.
 * @tparam E the enumeration
 * @tparam Args a member pointer, or a setter and a getter
 * @param args what MakeEnumAccessor takes
 * @return the accessor
 */
template <typename E, typename... Args>
auto
MakeEnumAccessorImpl(long, Args&&... args)
    -> decltype(MakeEnumAccessor(std::forward<Args>(args)...))
{
    return MakeEnumAccessor(std::forward<Args>(args)...);
}

/// Test durations: enumerators of TestCase itself until ns-3.41, of TestCase::Duration afterwards.
template <typename T, typename = void>
struct TestDuration
{
    static constexpr auto QUICK = T::QUICK;         //!< part of every run
    static constexpr auto EXTENSIVE = T::EXTENSIVE; //!< only in an extensive run
};

/// ns-3.42 and later.
template <typename T>
struct TestDuration<T, std::void_t<typename T::Duration>>
{
    static constexpr auto QUICK = T::Duration::QUICK;         //!< part of every run
    static constexpr auto EXTENSIVE = T::Duration::EXTENSIVE; //!< only in an extensive run
};

/**
 * Call a function that a callback holds.
 * @tparam Args types of the arguments
 * @param f the function
 * @param args the arguments
 */
template <typename... Args>
void
CallHeld(std::shared_ptr<std::function<void(Args...)>> f, Args... args)
{
    (*f)(args...);
}

constexpr auto QUICK = TestDuration<TestCase>::QUICK;         //!< duration of a quick test case
constexpr auto EXTENSIVE = TestDuration<TestCase>::EXTENSIVE; //!< duration of a slow test case

} // namespace rocecompat

/**
 * @ingroup roce
 * @brief Accessor of an enumeration attribute in every supported release.
 * @tparam E the enumeration
 * @tparam Args a member pointer, or a setter and a getter
 * @param args what MakeEnumAccessor takes
 * @return the accessor
 */
template <typename E, typename... Args>
auto
MakeRoceEnumAccessor(Args&&... args)
{
    return rocecompat::MakeEnumAccessorImpl<E>(0, std::forward<Args>(args)...);
}

/**
 * @ingroup roce
 * @brief Callback of a lambda in every supported release; Callback takes one itself since ns-3.36.
 * @tparam Args types of the arguments
 * @tparam F type of the lambda
 * @param f the lambda
 * @return the callback
 */
template <typename... Args, typename F>
Callback<void, Args...>
MakeRoceCallback(F f)
{
    if constexpr (std::is_constructible_v<Callback<void, Args...>, F>)
    {
        return Callback<void, Args...>(f);
    }
    else
    {
        return MakeBoundCallback(&rocecompat::CallHeld<Args...>,
                                 std::make_shared<std::function<void(Args...)>>(f));
    }
}

} // namespace ns3

#endif /* ROCE_COMPAT_H */
