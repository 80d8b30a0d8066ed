/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CSV_FILE_H
#define ROCE_CSV_FILE_H

#include "ns3/roce-frame.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup roce
 * @brief A table of results in a text file: a header line with a unit in every name, then rows.
 *
 * Every row is complete or absent, so the file of a run that was killed can be used.
 */
class RoceCsvFile
{
  public:
    /**
     * Create the file, or stop the program if that is impossible.
     * @param path name of the file
     * @param columns names of the columns
     */
    RoceCsvFile(const std::string& path, const std::vector<std::string>& columns);
    ~RoceCsvFile();

    RoceCsvFile(const RoceCsvFile&) = delete;
    RoceCsvFile& operator=(const RoceCsvFile&) = delete;

    /// @param value the next cell: a text without commas, quotes and line ends
    void AddText(const std::string& value);
    /// @param value the next cell
    void AddInteger(uint64_t value);
    /// @param value the next cell, written with 6 significant digits
    void AddDecimal(double value);
    /// @param time the next cell, written exactly, in seconds
    void AddSeconds(RocePs time);
    /// The row is complete; it must have as many cells as there are columns.
    void EndRow();
    /// Hand all rows to the operating system.
    void Flush();

    /// @return number of rows written
    uint64_t GetNRows() const;

    /**
     * @param time a time that is not negative, picoseconds
     * @return the same in seconds with all twelve decimals
     */
    static std::string FormatSeconds(RocePs time);

  private:
    /// Separate the next cell from the one before.
    void StartCell();

    std::string m_path;     //!< name of the file
    std::size_t m_columns;  //!< number of columns
    std::size_t m_cells{0}; //!< cells of the current row
    uint64_t m_rows{0};     //!< complete rows
    std::string m_row;      //!< current row
    std::ofstream m_file;   //!< the file
};

} // namespace ns3

#endif /* ROCE_CSV_FILE_H */
