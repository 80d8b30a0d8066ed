/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-json-file.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceJsonFile");

namespace
{

/**
 * @param text any text
 * @return it as a JSON string
 */
std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
        }
        if (code < 0x20)
        {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", code);
            quoted += escape;
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + "\"";
}

} // namespace

void
RoceJsonFile::StartKey(const std::string& key)
{
    if (m_separated)
    {
        m_text += ',';
    }
    m_separated = true;
    m_text += '\n' + std::string(std::size_t{2} * m_depth, ' ') + Quote(key) + ": ";
}

void
RoceJsonFile::AddInteger(const std::string& key, uint64_t value)
{
    AddNumber(key, std::to_string(value));
}

void
RoceJsonFile::AddDecimal(const std::string& key, double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", value);
    AddNumber(key, std::isfinite(value) ? text : "null");
}

void
RoceJsonFile::AddNumber(const std::string& key, const std::string& value)
{
    StartKey(key);
    m_text += value;
}

void
RoceJsonFile::AddText(const std::string& key, const std::string& value)
{
    StartKey(key);
    m_text += Quote(value);
}

void
RoceJsonFile::Open(const std::string& key)
{
    StartKey(key);
    m_text += '{';
    m_depth++;
    m_separated = false;
}

void
RoceJsonFile::Close()
{
    NS_ABORT_MSG_UNLESS(m_depth > 1, "no inner object is open");
    m_depth--;
    m_text += '\n' + std::string(std::size_t{2} * m_depth, ' ') + '}';
    m_separated = true;
}

std::string
RoceJsonFile::GetText() const
{
    NS_ABORT_MSG_UNLESS(m_depth == 1, "an inner object is open");
    return "{" + m_text + "\n}\n";
}

void
RoceJsonFile::Write(const std::string& path) const
{
    NS_LOG_FUNCTION(this << path);
    std::ofstream file(path);
    file << GetText();
    file.close();
    NS_ABORT_MSG_UNLESS(file, "cannot write " << path << ": " << std::strerror(errno));
}

} // namespace ns3
