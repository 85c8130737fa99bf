import VitrineFiles

let webpTarget = FuzzTarget.image(.webp) { bytes in
    // The container's own length is made right: else every input that grows or shrinks is refused at once.
    let length = UInt32(max(bytes.count - 8, 0))
    force(Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) } + Array("WEBP".utf8), on: &bytes)
}
