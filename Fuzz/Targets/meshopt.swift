let meshoptTarget = FuzzTarget(
    // Vertices by both filters, triangles, and indices that make none.
    seeds: { try PackedModel.seeds(.meshopt).flatMap { seed in (0..<4).map { [UInt8($0)] + seed } } },
    run: { input in
        let bytes = PackedModel.meshopt(input)
        if !bytes.isEmpty { PackedModel.read(bytes) }
    })
