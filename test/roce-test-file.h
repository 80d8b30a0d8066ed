/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TEST_FILE_H
#define ROCE_TEST_FILE_H

#include <fstream>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * @ingroup roce-tests
 * @param path name of a file
 * @return its contents
 */
inline std::string
ReadAll(const std::string& path)
{
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace ns3

#endif /* ROCE_TEST_FILE_H */
