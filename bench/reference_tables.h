// reference_tables -- reads a reference table (TSV).
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace reference_tables {

using Row = std::vector<std::string>;

inline Row split_tabs(const std::string& line) {
  Row fields;
  std::stringstream stream(line);
  std::string field;
  while (std::getline(stream, field, '\t')) fields.push_back(field);
  if (!line.empty() && line.back() == '\t') fields.emplace_back();
  return fields;
}

struct Table {
  Row header;
  std::vector<Row> rows;
  int column(const std::string& name) const {
    for (std::size_t k = 0; k < header.size(); ++k)
      if (header[k] == name) return static_cast<int>(k);
    return -1;
  }
};

// False where there is no such file.
inline bool read_table(const std::string& path, Table& table) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return false;
  table.header = split_tabs(line);
  while (std::getline(file, line)) table.rows.push_back(split_tabs(line));
  return true;
}

}  // namespace reference_tables
