/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TEXT_INPUT_H
#define ROCE_TEXT_INPUT_H

#include "ns3/roce-frame.h"

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief Reads text files of whitespace-separated fields line by line, and numbers with units
 * strictly.
 *
 * The readers of topology, flow and size-distribution files share it, so that every refusal names
 * the file, the line and the reason in the same way, and so that "100" is never silently taken for
 * a rate. Lines may end in LF or CR LF; the last line needs no end.
 */
class RoceTextInput
{
  public:
    /**
     * @param stream the text
     * @param name what to call it in errors, usually the file name
     */
    RoceTextInput(std::istream& stream, const std::string& name);

    /**
     * Go to the next line that has at least one field.
     * @return false at the end of the text
     */
    bool NextLine();

    /// @return number of the current line, from 1
    uint64_t GetLine() const;

    /// @return the fields of the current line
    const std::vector<std::string>& GetFields() const;

    /**
     * Remember what is wrong with the current line; the first error is kept.
     * @param reason what is wrong
     * @return false, to be returned by the caller in turn
     */
    bool Fail(const std::string& reason);

    /// @return "name:line: reason", or an empty string if nothing failed
    const std::string& GetError() const;

    /**
     * Read a field of the current line as an unsigned integer, or fail.
     * @param field number of the field, from 0
     * @param what name of the value for the error
     * @param maximum largest allowed value
     * @param [out] value the value
     * @return true if it is one
     */
    bool ReadUnsigned(std::size_t field,
                      const std::string& what,
                      uint64_t maximum,
                      uint64_t& value);

    /**
     * Read a field of the current line as a decimal number that is not negative, or fail.
     * @param field number of the field, from 0
     * @param what name of the value for the error
     * @param [out] value the value
     * @return true if it is one
     */
    bool ReadDecimal(std::size_t field, const std::string& what, double& value);

    /**
     * @param text decimal digits only
     * @return the value, or nothing if text is anything else or does not fit
     */
    static std::optional<uint64_t> ParseUnsigned(const std::string& text);

    /**
     * @param text a plain or scientific decimal number without sign, such as 0.25 or 1e-3
     * @return the value, or nothing if text is anything else
     */
    static std::optional<double> ParseDecimal(const std::string& text);

    /**
     * @param text a number of bytes: plain, or with B, kB, KB, MB, GB, TB (powers of 1000) or KiB,
     * MiB, GiB, TiB (powers of 1024); decimals are allowed if the result is whole
     * @return the bytes, or nothing if text is anything else or does not fit
     */
    static std::optional<uint64_t> ParseBytes(const std::string& text);

    /**
     * @param text a number with a unit: bps or b/s with an optional prefix k, K, M, G or T, or Bps
     * or B/s for bytes per second with the same prefixes
     * @return the rate in bit/s, or nothing if text is anything else, is zero or has no unit
     */
    static std::optional<uint64_t> ParseRate(const std::string& text);

    /**
     * @param text a number with a unit out of s, ms, us, ns, ps, as in ns-3 Time strings
     * @return the time in picoseconds, or nothing if text is anything else or has no unit
     */
    static std::optional<RocePs> ParseTime(const std::string& text);

    /**
     * @param text a number of seconds without a unit
     * @return the time in picoseconds (rounded), or nothing if text is anything else or beyond the
     * clock
     */
    static std::optional<RocePs> ParseSeconds(const std::string& text);

  private:
    std::istream& m_stream;            //!< the text
    std::string m_name;                //!< its name
    uint64_t m_line{0};                //!< number of the current line
    std::vector<std::string> m_fields; //!< fields of the current line
    std::string m_error;               //!< first error
};

} // namespace ns3

#endif /* ROCE_TEXT_INPUT_H */
