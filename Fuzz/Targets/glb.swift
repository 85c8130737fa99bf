/// The binary container. Lengths are made right: else every input that grows or shrinks is refused at once.
let glbTarget = FuzzTarget.model(
    seeds: { [seed] },
    repair: { bytes in
        bytes.removeLast(bytes.count % 4)
        force(Array("glTF".utf8) + word(2) + word(bytes.count), on: &bytes)
        guard bytes.count >= 20 else { return }
        // Keeps the length of the JSON chunk if it fits; the rest is the binary chunk.
        let json = (bytes[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) } & ~3) % max(bytes.count - 19, 4)
        for (offset, byte) in (word(json) + Array("JSON".utf8)).enumerated() { bytes[12 + offset] = byte }
        guard bytes.count >= 28 + json else { return }
        let binary = word(bytes.count - 28 - json) + Array("BIN\0".utf8)
        for (offset, byte) in binary.enumerated() { bytes[20 + json + offset] = byte }
    })

private func word(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

/// A triangle, its indices as bytes.
private let seed: [UInt8] = {
    var json = Array(
        """
        {"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5121,"count":3,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":3}],"buffers":[{"byteLength":39}]}
        """.utf8)
    while json.count % 4 != 0 { json.append(0x20) }
    let positions: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]
    let binary: [UInt8] = positions.flatMap { word(Int($0.bitPattern)) } + [0, 1, 2, 0]
    let chunks = word(json.count) + Array("JSON".utf8) + json + word(binary.count) + Array("BIN\0".utf8) + binary
    return Array("glTF".utf8) + word(2) + word(12 + chunks.count) + chunks
}()
