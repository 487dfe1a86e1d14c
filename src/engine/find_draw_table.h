// find_draw_table -- which laws have tables that draws come from.
#pragma once

#include "engine/draw_table.h"

namespace openclPort {

// The table of what `spec` draws, if there is one of its law with these parameters (alias_table.h, quantile_table.h)
// and they are one number each; else null. Made by the host device, so that all devices draw the same numbers; the last
// ones are kept. Whether there is a table does not depend on the number of draws.
std::shared_ptr<const DrawTable> find_draw_table(const KernelSpec& spec, const std::vector<Column>& columns);

}  // namespace openclPort
