// Catch2 for tests that use LibTorch; see catch.h for why the order of the two matters.
#pragma once

#ifndef LW_TEST_TORCH
#error "tests/catch_torch.h belongs to the tests that link LibTorch; this folder's tests include tests/catch.h"
#endif

#include "tests/catch.h"
