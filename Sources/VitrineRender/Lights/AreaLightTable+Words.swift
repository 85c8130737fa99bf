extension AreaLightTable {
    static let byteCount = size * size * 8

    /// The half floats, in pairs.
    static var words: [UInt32] {
        let text = digits.utf8Start
        func half(_ index: Int) -> UInt32 {
            var value: UInt32 = 0
            for digit in 4 * index..<4 * index + 4 {
                let code = UInt32(text[digit])
                value = value << 4 | (code >= 97 ? code - 87 : code - 48)
            }
            return value
        }
        return (0..<size * size * 2).map { half(2 * $0) | half(2 * $0 + 1) << 16 }
    }
}
