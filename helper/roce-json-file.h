/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_JSON_FILE_H
#define ROCE_JSON_FILE_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Builds a JSON object key by key, in the order in which the keys are added, and writes it.
 */
class RoceJsonFile
{
  public:
    /**
     * @param key name
     * @param value a whole number
     */
    void AddInteger(const std::string& key, uint64_t value);
    /**
     * @param key name
     * @param value a number, written with 9 significant digits; null if it is not finite
     */
    void AddDecimal(const std::string& key, double value);
    /**
     * @param key name
     * @param value a number already written out
     */
    void AddNumber(const std::string& key, const std::string& value);
    /**
     * @param key name
     * @param value any text
     */
    void AddText(const std::string& key, const std::string& value);
    /**
     * What is added next becomes part of an object inside the object, until Close().
     * @param key name of the inner object
     */
    void Open(const std::string& key);
    /// The inner object is complete.
    void Close();

    /**
     * @return the object as text
     */
    std::string GetText() const;

    /**
     * Write the object, or stop the program if that is impossible. All inner objects must be
     * closed.
     * @param path name of the file
     */
    void Write(const std::string& path) const;

  private:
    /**
     * Start a line.
     * @param key name of the value that follows
     */
    void StartKey(const std::string& key);

    std::string m_text;      //!< lines so far
    uint32_t m_depth{1};     //!< number of open objects
    bool m_separated{false}; //!< the last line needs a comma if another one follows
};

} // namespace ns3

#endif /* ROCE_JSON_FILE_H */
