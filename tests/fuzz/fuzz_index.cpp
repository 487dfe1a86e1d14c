// fuzz_index -- kernel_dependency_index.tsv: what parses is an index, and is written as it was read.
#include "fuzz.h"
#include "loader/kernel_index.h"

using namespace openclPort;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string source = "index.tsv", text = fuzz::text_of(data, size);
  KernelIndex index;
  if (fuzz::refused(source, [&] { index = KernelIndex::parse(text, source); })) return 0;
  const std::string tsv = index.tsv();
  const KernelIndex again = KernelIndex::parse(tsv, source);
  fuzz::expect(again.tsv() == tsv && again.stems() == index.stems(), "an index survives its file", tsv);
  fuzz::expect(index.closure(index.stems()) == index.stems(), "all files need all files", tsv);
  for (std::size_t i = 0; i < index.stems().size() && i < 64; ++i) {
    const std::vector<std::string> closure = index.closure({index.stems()[i]});
    fuzz::expect(closure.size() > index.all_depends(i).size() || index.all_depends(i).empty(), "a closure is complete");
    fuzz::expect(closure.back() == index.stems()[i], "a file comes behind what it needs", tsv);
  }
  return 0;
}
