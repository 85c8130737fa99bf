import VitrineFiles

let tgaTarget = FuzzTarget.image(.tga) { bytes in
    guard bytes.count >= 18 else { return }
    // A header that passes the check of its structure: else nearly every mutation is refused at once.
    let types: [UInt8] = [1, 2, 3, 9, 10, 11]
    let kind = Int(bytes[2]) % types.count
    bytes[2] = types[kind]
    bytes[1] = kind % 3 == 0 ? 1 : bytes[1] & 1
    if bytes[1] == 0 { for index in 3..<8 { bytes[index] = 0 } }
    let depths: [[UInt8]] = [[8, 16], [15, 16, 24, 32], [8, 16]]
    bytes[16] = depths[kind % 3][Int(bytes[16] >> 3) % depths[kind % 3].count]
    if bytes[1] == 1 {
        bytes[7] = depths[1][Int(bytes[7] >> 3) % 4]
        if bytes[5] == 0, bytes[6] == 0 { bytes[5] = 1 }
    }
    bytes[17] &= 0x38
    // Sides up to 511, so that files of a few kilobytes contain their images.
    (bytes[13], bytes[15]) = (bytes[13] & 1, bytes[15] & 1)
}
