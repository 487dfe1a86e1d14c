// test_sha256 -- digests against published ones.
#include "base/sha256.h"

#include <gtest/gtest.h>

using namespace openclPort;

TEST(Sha256, known_digests_in_one_piece_and_in_many) {
  EXPECT_EQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", sha256_hex(""));
  EXPECT_EQ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", sha256_hex("abc"));
  EXPECT_EQ("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"));
  const std::string million(1000000, 'a');
  EXPECT_EQ("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", sha256_hex(million));
  for (const std::size_t piece : {1u, 55u, 56u, 63u, 64u, 65u, 119u, 1000u}) {
    Sha256 hash;
    for (std::size_t at = 0; at < million.size(); at += piece) hash.update(million.substr(at, piece));
    EXPECT_EQ(Sha256().update(million).finish(), hash.finish()) << piece;
  }
}
