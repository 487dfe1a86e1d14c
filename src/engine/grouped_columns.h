// grouped_columns -- a call's columns in the order of its groups, for kernels that read position by position.
#pragma once

#include <memory>
#include <vector>

#include "engine/fused.h"

namespace openclPort {

// The call as it was given where it has no groups, or the kernel takes their order: then it reads the columns as they
// lie. Columns that the kernel indexes itself stay as they are.
class GroupedColumns {
 public:
  GroupedColumns(const FusedSpec& spec, const FusedCall& given);
  GroupedColumns(const GroupedColumns&) = delete;
  GroupedColumns& operator=(const GroupedColumns&) = delete;
  const FusedCall& call() const { return call_; }  // whose columns are there as long as this is

 private:
  FusedCall call_;
  std::vector<std::unique_ptr<unsigned char[]>> made_;
};

}  // namespace openclPort
