/// The WGSL source of `GPUDescriptorSearch`: the distances of `DescriptorMatcher`, which are integers.
///
/// An invocation searches the neighbours of one descriptor. A workgroup reads the others in tiles that its invocations share.
enum DescriptorSearchShader {
    /// The invocations of a workgroup.
    static let groupSize = 64
    /// The searches of a dispatch at most: its limit in one dimension is at least 65,535.
    static let mostSearches = 65_535
    private static let tile = 32

    static let source = """
        struct Search {
            // Of the descriptors whose neighbours are searched: the first, the count; of the others: the first, the count.
            sets: vec4u,
            // The index of the first result.
            result: vec4u,
        }
        @group(0) @binding(0) var<storage, read> searches: array<Search>;
        // Eight vectors for each descriptor.
        @group(0) @binding(1) var<storage, read> descriptors: array<vec4u>;
        @group(0) @binding(2) var<storage, read> squares: array<i32>;
        // The smallest and the second smallest squared distance, and the index of the nearest.
        @group(0) @binding(3) var<storage, read_write> neighbours: array<vec4i>;

        var<workgroup> tile: array<vec4u, \(8 * tile)>;
        var<workgroup> tile_squares: array<i32, \(tile)>;

        fn product(a: vec4u, b: vec4u) -> i32 {
            return i32(dot4U8Packed(a.x, b.x) + dot4U8Packed(a.y, b.y) + dot4U8Packed(a.z, b.z) + dot4U8Packed(a.w, b.w));
        }

        @compute @workgroup_size(\(groupSize))
        fn search(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
            let sets = searches[group.y].sets;
            let row = group.x * \(groupSize)u + lane;
            // Those past the end search with the last descriptor: all invocations reach the barriers.
            let own = sets.x + min(row, sets.y - 1u);
            var mine: array<vec4u, 8>;
            for (var k = 0u; k < 8u; k++) { mine[k] = descriptors[8u * own + k]; }
            let square = squares[own];
            var best = vec3i(2147483647, 2147483647, 0);
            for (var start = 0u; start < sets.w; start += \(tile)u) {
                let count = min(\(tile)u, sets.w - start);
                workgroupBarrier();
                for (var k = lane; k < 8u * count; k += \(groupSize)u) { tile[k] = descriptors[8u * (sets.z + start) + k]; }
                if (lane < count) { tile_squares[lane] = squares[sets.z + start + lane]; }
                workgroupBarrier();
                for (var column = 0u; column < count; column++) {
                    var sum = 0;
                    for (var k = 0u; k < 8u; k++) { sum += product(mine[k], tile[8u * column + k]); }
                    let distance = square + tile_squares[column] - 2 * sum;
                    best.y = min(best.y, max(best.x, distance));
                    if (distance < best.x) {
                        best.x = distance;
                        best.z = i32(start + column);
                    }
                }
            }
            if (row < sets.y) { neighbours[searches[group.y].result.x + row] = vec4i(best, 0); }
        }
        """
}
