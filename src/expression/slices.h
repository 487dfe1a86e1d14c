// slices -- numbers that kernels of gradients in few coefficients (term_slices.h, point_matrix.h) and what launches
// them agree about.
#pragma once

#include <cstddef>

namespace openclPort::expression {

constexpr int kChainedRows = 64;  // of all slices, after which each has another chain
// Columns in fours, each term's rounded up: those with 16 slices; those that a work-item at many points has registers
// for; and those that matrix units have room for.
constexpr int kFewFours = 2, kFours = 4, kMatrixFours = 17;
inline int slices_of(int fours) { return fours <= kFewFours ? 16 : 8; }

constexpr std::size_t kMostSlicedTerms = 4, kMostSlicedValues = 8;

// A group of work-items with matrix units, and its points.
constexpr int kMatrixItems = 512, kMatrixPoints = 16;
// Columns in fours with which two such groups share a compute unit.
constexpr int kFewMatrixFours = 10;
// Columns in fours of which a group keeps the sums; of more, where that may be, the scores go through memory: measured
// on an H200 by bench/points.R, 60 columns at 64 points 2.2 ms without, 1.8 with it, 40 columns 1.5 and 1.6.
inline int most_matrix_fours(bool may_be_wide) { return may_be_wide ? kFewMatrixFours : kMatrixFours; }

// Where there are more columns than a group keeps sums of: how many terms there may be, such ranges, and rows of a
// tile and of a chain of a group at one point. At many points, a group that adds scores up has so many columns and
// points.
constexpr std::size_t kMostWideTerms = 2;
// Ranges of columns that a linear predictor is the sum of, where a few terms have more than kFours.
constexpr int kRanges = 4;
inline int ranges_of_slices(std::size_t terms, int fours) {
  return terms <= kMostWideTerms && fours > kFours ? kRanges : 1;
}
// As many ranges as leave each work-item one, with tiles of the most rows that usually fit.
constexpr int kWideTile = 32, kWideChain = 16, kTallFours = 39;
inline int ranges_of_wide(int fours) { return fours <= kTallFours ? 8 : 16; }
inline int tile_of_wide(int fours) { return fours <= kTallFours ? kWideTile : kWideTile / 2; }
// A tile of more columns may have no more rows than such a chain, for want of room.
inline int chain_of_wide(int fours) { return fours <= kTallFours ? kWideChain : kWideChain / 2; }
constexpr int kWideColumns = 64, kWidePoints = 64, kWideSides = 2, kWideItems = 256;  // sides: of points
// A group that computes scores: its work-items, and how many times eight points it has.
constexpr int kScoringItems = 256;
constexpr std::size_t kFewestSides = 2;
constexpr int kScoreRows = 64;  // whose scores lie together
inline std::size_t sides_of_group(std::size_t points) { return points > 32 ? 8 : points > 16 ? 4 : kFewestSides; }

}  // namespace openclPort::expression
