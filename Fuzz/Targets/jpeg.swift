import VitrineFiles

let jpegTarget = FuzzTarget.image(.jpeg) { force([0xFF, 0xD8, 0xFF], on: &$0) }
