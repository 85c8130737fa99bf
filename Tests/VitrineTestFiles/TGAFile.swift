/// Builds TGA files byte by byte, valid or invalid, as the test requires.
struct TGAFile {
    var type: UInt8 = 2
    var width = 2
    var height = 2
    var depth: UInt8 = 24
    /// Alpha bits and origin.
    var descriptor: UInt8 = 0
    var identifier: [UInt8] = []
    var mapFirst = 0
    var mapCount = 0
    var mapDepth: UInt8 = 0
    var map: [UInt8] = []
    var pixels: [UInt8] = []
    /// The attributes type of an extension area; nil: no footer.
    var attributes: UInt8?

    var bytes: [UInt8] {
        func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }
        var file: [UInt8] = [UInt8(identifier.count), mapCount > 0 ? 1 : 0, type] + word(mapFirst) + word(mapCount) + [mapDepth]
        file += word(0) + word(0) + word(width) + word(height) + [depth, descriptor] + identifier + map + pixels
        guard let attributes else { return file }
        let area = file.count
        file += word(495) + [UInt8](repeating: 0, count: 492) + [attributes]
        return file + word(area & 0xFFFF) + word(area >> 16) + [0, 0, 0, 0] + Array("TRUEVISION-XFILE.\0".utf8)
    }

    /// Every type at 2 × 2 or 3 × 2 pixels, by name.
    static var all: [(name: String, bytes: [UInt8])] {
        let color = (0..<12).map { UInt8($0 * 20) }
        let map: [UInt8] = [0, 0, 255, 0, 255, 0, 255, 0, 0]
        return [
            ("mapped tga", TGAFile(type: 1, depth: 8, mapFirst: 5, mapCount: 3, mapDepth: 24, map: map, pixels: [5, 6, 7, 5]).bytes),
            ("color tga", TGAFile(pixels: color).bytes),
            ("gray tga", TGAFile(type: 3, depth: 8, identifier: [1, 2], pixels: [1, 2, 3, 4]).bytes),
            ("gray alpha tga", TGAFile(type: 3, depth: 16, descriptor: 8, pixels: [1, 2, 3, 4, 5, 6, 7, 8]).bytes),
            ("16 bit tga", TGAFile(depth: 16, descriptor: 0x21, pixels: [0, 0x80, 0x1F, 0, 0xE0, 0x83, 0, 0x7C]).bytes),
            (
                "mapped runs tga",
                TGAFile(type: 9, width: 3, depth: 8, mapCount: 3, mapDepth: 24, map: map, pixels: [0x83, 2, 1, 0, 1]).bytes
            ),
            ("color runs tga", TGAFile(type: 10, width: 3, pixels: [0x84, 1, 2, 3, 0, 9, 8, 7]).bytes),
            ("gray runs tga", TGAFile(type: 11, width: 3, depth: 8, descriptor: 0x10, pixels: [2, 10, 20, 30, 0x82, 40]).bytes),
        ]
    }
}
