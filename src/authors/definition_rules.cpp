// definition_rules -- checks what the files of one program define: duplicates, and names that clash.
#include "authors/definition_rules.h"

#include <map>
#include <set>

namespace openclPort {

namespace {

using Kind = CDefinition::Kind;
using Macros = std::map<std::string, std::pair<const CheckedFile*, const CDefinition*>>;

// A macro that an earlier file leaves defined, with other words, and that this one does not undefine.
void check_macro(const CheckedFile& file, const CDefinition& macro, Macros& left, const FindingSink& found) {
  const auto undefined = file.outline.undefined.find(macro.name);
  const bool ends = undefined != file.outline.undefined.end();
  const auto known = left.find(macro.name);
  const bool clashes = known != left.end() && known->second.first != &file && !macro.if_undefined && !ends &&
                       known->second.second->body != macro.body;
  if (clashes)
    found(file.path, macro.line,
          "macro '" + macro.name + "' is another one in " + known->second.first->file.stem + ".cl", "clash",
          Severity::error);
  if (!ends || undefined->second < macro.line) left.emplace(macro.name, std::make_pair(&file, &macro));
}

// What each function calls, without names that are macros before it: those call what they stand for.
Needs call_graph(const std::vector<const CheckedFile*>& files) {
  Needs calls;
  for (const CheckedFile* file : files)
    for (const auto& entry : file->outline.calls) {
      const CDefinition* caller = file->outline.find(entry.first);
      if (!caller || caller->kind != Kind::function) continue;
      for (const std::string& name : entry.second) {
        const CDefinition* other = file->outline.find(name);
        if (!other || other->kind == Kind::function) calls[entry.first].push_back(name);
      }
    }
  return calls;
}

}  // namespace

void check_definitions(const std::vector<const CheckedFile*>& files, const FindingSink& found) {
  std::map<std::string, const CheckedFile*> functions, providers;
  Macros macros;
  for (const CheckedFile* file : files) {
    std::set<std::string> here;  // both sides of a condition may define a function
    for (const CDefinition& definition : file->outline.definitions) {
      const std::string& name = definition.name;
      if (definition.kind == Kind::macro || definition.kind == Kind::call_macro)
        check_macro(*file, definition, macros, found);
      if (definition.kind != Kind::function || !here.insert(name).second) continue;
      const auto known = functions.emplace(name, file);
      if (!known.second)
        found(file->path, definition.line, "'" + name + "' is defined in " + known.first->second->file.stem + ".cl too",
              "duplicate", Severity::error);
    }
    for (const std::string& name : file->file.tags.list("provides")) {
      const auto known = providers.emplace(name, file);
      if (!known.second)
        found(file->path, file->line_of("provides"),
              "@provides names '" + name + "', as " + known.first->second->file.stem + ".cl does", "duplicate",
              Severity::warning);
    }
  }
}

void check_recursion(const std::vector<const CheckedFile*>& files, const FindingSink& found) {
  for (Needs calls = call_graph(files);;) {
    const std::vector<std::string> cycle = shortest_cycle(calls);
    if (cycle.empty()) return;
    for (const CheckedFile* file : files) {
      const CDefinition* function = file->outline.find(cycle[0]);
      if (!function || function->kind != Kind::function) continue;
      found(file->path, function->line, "recursion: " + join(cycle, " -> "), "gpu", Severity::error);
      break;
    }
    for (const std::string& name : cycle) calls.erase(name);
  }
}

}  // namespace openclPort
