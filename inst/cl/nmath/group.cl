// @source_type: c
// @source_origin: own
// @provides: nmath_group_sum, nmath_group_min, nmath_group_max
// @depends: nmath
// @method: halves of a work-group's numbers in local memory, in an order that its size alone fixes
// @accuracy: exact (min, max); sum: rounding of ceil(log2(size)) additions
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// group -- sum, least and greatest of what the work-items of a group have: for kernels that wait at barriers.
//
// Every work-item of the group must come here, each with its x and with the same `scratch`, local memory for as many doubles as
// the group has work-items. All get the result, which depends on the group's size and numbers alone: not on the device
// or on who comes first. A NaN among them is the result. Groups of any size and of one to three dimensions.

#ifdef NMATH_GROUPS // layer 0: work-items here can wait for one another

NMATH_FN int group_size_(void) { return (int)(get_local_size(0) * get_local_size(1) * get_local_size(2)); }

// The number of this work-item within its group.
NMATH_FN int group_rank_(void)
{
    return (int)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0));
}

// The second half is folded onto the first until one is left; the barrier in front is for a scratch in use before.
#define GROUP_FOLD(fold)                                                       \
    const int me = group_rank_();                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                              \
    scratch[me] = x;                                                           \
    for (int n = group_size_(); n > 1; n = (n + 1) / 2) {                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                          \
        if (me < n / 2) {                                                      \
            const double a = scratch[me], b = scratch[me + (n + 1) / 2];       \
            scratch[me] = fold;                                                \
        }                                                                      \
    }                                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                              \
    return scratch[0];

NMATH_FN double nmath_group_sum(double x, __local double *scratch) { GROUP_FOLD(a + b) }
NMATH_FN double nmath_group_min(double x, __local double *scratch) { GROUP_FOLD(isnan(a) || a < b ? a : b) }
NMATH_FN double nmath_group_max(double x, __local double *scratch) { GROUP_FOLD(isnan(a) || a > b ? a : b) }

#undef GROUP_FOLD

#endif
