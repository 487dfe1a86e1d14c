// later_rounds -- vectors that the rounds of a loop make rows or columns of.
#include "expression/later_rounds.h"

#include "base/nmath_error.h"
#include "expression/lines.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostVariables = 3;  // each as a vector and as a matrix, with each of the others: 2^3 readings

class Comparison {
 public:
  explicit Comparison(const LaterRounds& of) : of_(of) {}

  std::vector<Sides> run(const RoundLeft& first) {
    Reading all;
    all.sides = of_.before;
    all.mixed_as_matrix = true;
    for (bool again = true; again;) {
      again = false;
      const RoundLeft left = translated(all);
      for (std::size_t k = 0; k < all.sides.size(); ++k) {
        if (same_sides(left.sides[k], all.sides[k])) continue;
        if (all.sides[k].matrix) refuse("`" + of_.names[k] + "`");
        all.sides[k] = left.sides[k];
        changing_.push_back(k);
        again = true;
      }
    }
    if (changing_.size() > kMostVariables) refuse("`" + of_.names[changing_[kMostVariables]] + "`");
    for (std::size_t chosen = 0; chosen < std::size_t{1} << changing_.size(); ++chosen) {
      for (const bool mixed : {false, true}) {
        Reading reading;
        reading.sides = of_.before;
        reading.mixed_as_matrix = mixed;
        std::string name = changing_.empty() ? "what an if () makes" : "`" + of_.names[changing_[0]] + "`";
        for (std::size_t k = 0; k < changing_.size(); ++k)
          if ((chosen >> k & 1) != 0) {
            reading.sides[changing_[k]] = all.sides[changing_[k]];
            name = "`" + of_.names[changing_[k]] + "`";
          }
        const RoundLeft left = translated(reading);
        if (!of_.same(first, left)) refuse(name);
        for (std::size_t k = 0; k < left.sides.size(); ++k)  // a vector may be left, but no other matrix
          if (!same_sides(left.sides[k], all.sides[k]) && (left.sides[k].matrix || of_.before[k].matrix))
            refuse("`" + of_.names[k] + "`");
      }
    }
    return all.sides;
  }

 private:
  [[noreturn]] void refuse(const std::string& name, const std::string& why = "which makes a difference") const {
    throw LimitError(of_.what + ": " + name + " is a vector in one round and a matrix in another, " + why +
                     ". Make it a matrix before the loop, by matrix(), or a vector in each round, by drop()");
  }

  RoundLeft translated(const Reading& reading) const {
    try {
      return of_.translate(reading);
    } catch (const NmathError& error) {
      for (std::size_t k = 0; k < reading.sides.size(); ++k)
        if (!same_sides(reading.sides[k], of_.before[k]))
          refuse("`" + of_.names[k] + "`",
                 "where R finds: " + with_part_replaced(error.what(), NMATHOPENCL_SEE_LIMITS, ""));
      throw;
    }
  }

  const LaterRounds& of_;
  std::vector<std::size_t> changing_;
};

}  // namespace

std::vector<Sides> check_later_rounds(const LaterRounds& of, const RoundLeft& first) {
  return Comparison(of).run(first);
}

}  // namespace openclPort::expression
