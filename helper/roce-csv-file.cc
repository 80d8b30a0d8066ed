/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-csv-file.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/roce-clock.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceCsvFile");

RoceCsvFile::RoceCsvFile(const std::string& path, const std::vector<std::string>& columns)
    : m_path(path),
      m_columns(columns.size()),
      m_file(path)
{
    NS_LOG_FUNCTION(this << path);
    NS_ABORT_MSG_UNLESS(m_file, "cannot write " << path << ": " << std::strerror(errno));
    for (const std::string& column : columns)
    {
        AddText(column);
    }
    EndRow();
    m_rows = 0;
    Flush();
}

RoceCsvFile::~RoceCsvFile()
{
    NS_LOG_FUNCTION(this);
}

void
RoceCsvFile::StartCell()
{
    if (m_cells > 0)
    {
        m_row += ',';
    }
    m_cells++;
}

void
RoceCsvFile::AddText(const std::string& value)
{
    StartCell();
    m_row += value;
}

void
RoceCsvFile::AddInteger(uint64_t value)
{
    StartCell();
    m_row += std::to_string(value);
}

void
RoceCsvFile::AddDecimal(double value)
{
    StartCell();
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", value);
    m_row += text;
}

void
RoceCsvFile::AddSeconds(RocePs time)
{
    StartCell();
    m_row += FormatSeconds(time);
}

void
RoceCsvFile::EndRow()
{
    NS_ABORT_MSG_UNLESS(m_cells == m_columns,
                        m_path << ": a row of " << m_cells << " cells in a table of " << m_columns
                               << " columns");
    m_row += '\n';
    m_file.write(m_row.data(), static_cast<std::streamsize>(m_row.size()));
    m_row.clear();
    m_cells = 0;
    m_rows++;
}

void
RoceCsvFile::Flush()
{
    m_file.flush();
    NS_ABORT_MSG_UNLESS(m_file, "cannot write " << m_path << ": " << std::strerror(errno));
}

uint64_t
RoceCsvFile::GetNRows() const
{
    return m_rows;
}

std::string
RoceCsvFile::FormatSeconds(RocePs time)
{
    char text[40];
    std::snprintf(text,
                  sizeof(text),
                  "%lld.%012lld",
                  static_cast<long long>(time / RoceClock::SECOND),
                  static_cast<long long>(time % RoceClock::SECOND));
    return text;
}

} // namespace ns3
