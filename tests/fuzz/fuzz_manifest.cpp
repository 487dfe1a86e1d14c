// fuzz_manifest -- program_preload_manifest.tsv: its rows come in order of rank and stay below inst/cl.
#include "fuzz.h"
#include "loader/kernel_loader.h"

using namespace openclPort;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string source = "manifest.tsv", text = fuzz::text_of(data, size);
  std::vector<ProgramPreloadEntry> entries;
  if (fuzz::refused(source + ":", [&] { entries = parse_program_preload_manifest(text, source); })) return 0;
  int rank = 0;
  fuzz::expect(!entries.empty(), "a manifest has rows");
  for (const ProgramPreloadEntry& entry : entries) {
    fuzz::expect(entry.rank > rank, "ranks ascend");
    rank = entry.rank;
    const std::string bounded = "/" + entry.rel_path + "/";
    fuzz::expect(entry.rel_path[0] != '/' && bounded.find("/../") == std::string::npos, "a path stays below inst/cl",
                 entry.rel_path);
    fuzz::expect(entry.rel_path.find_first_of("\"\\\n") == std::string::npos, "a path can stand in a line directive",
                 entry.rel_path);
  }
  const std::string written = program_preload_manifest_tsv(entries);
  fuzz::expect(program_preload_manifest_tsv(parse_program_preload_manifest(written, source)) == written,
               "a manifest survives its file", written);
  return 0;
}
