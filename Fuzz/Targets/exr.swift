import VitrineFiles

let exrTarget = FuzzTarget.image(.exr) { force([0x76, 0x2F, 0x31, 0x01], on: &$0) }
