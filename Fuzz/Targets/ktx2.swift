import VitrineFiles

/// The header's signature and format are made right, and sides stay small.
let ktx2Target = FuzzTarget.image(.ktx2) { bytes in
    force([0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0], on: &bytes)
    for offset in [21, 22, 23, 25, 26, 27] where offset < bytes.count { bytes[offset] = 0 }
}
