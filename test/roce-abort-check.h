/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ABORT_CHECK_H
#define ROCE_ABORT_CHECK_H

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace ns3
{

/**
 * @ingroup roce-tests
 * @brief Finds out whether an error of use stops the program, and what it says.
 */
class RoceAbortCheck
{
  public:
    /// @return true if the platform allows the check
    static constexpr bool IsSupported()
    {
#if defined(__unix__) || defined(__APPLE__)
        return true;
#else
        return false;
#endif
    }

    /**
     * Run something in a child process.
     * @param misuse what should stop the program
     * @return what it wrote to the standard error output; empty if it did not stop the program
     */
    static std::string GetMessage(const std::function<void()>& misuse)
    {
        std::string message;
#if defined(__unix__) || defined(__APPLE__)
        int ends[2];
        if (pipe(ends) != 0)
        {
            return message;
        }
        // Otherwise the child would write what waits in the buffers a second time.
        std::cout.flush();
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0)
        {
            const rlimit none{0, 0};
            setrlimit(RLIMIT_CORE, &none);
            dup2(ends[1], STDERR_FILENO);
            close(ends[0]);
            misuse();
            _exit(EXIT_SUCCESS);
        }
        close(ends[1]);
        char buffer[512];
        ssize_t got = 0;
        while ((got = read(ends[0], buffer, sizeof(buffer))) > 0)
        {
            message.append(buffer, static_cast<std::size_t>(got));
        }
        close(ends[0]);
        int status = 0;
        waitpid(child, &status, 0);
        if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS))
        {
            message.clear();
        }
#else
        (void)misuse;
#endif
        return message;
    }
};

} // namespace ns3

#endif /* ROCE_ABORT_CHECK_H */
