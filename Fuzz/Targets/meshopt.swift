let target = FuzzTarget(seeds: {
    // Vertices by both filters, triangles, and indices that make none.
    try PackedModel.seeds(.meshopt).flatMap { seed in (0..<4).map { [UInt8($0)] + seed } }
}) { input in
    let bytes = PackedModel.meshopt(input)
    if !bytes.isEmpty { PackedModel.read(bytes) }
}
