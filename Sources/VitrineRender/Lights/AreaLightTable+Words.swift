extension AreaLightTable {
    static let byteCount = size * size * 8

    /// The half floats, in pairs.
    static var words: [UInt32] {
        // Ordered as their values: negative ones are minus their magnitude's bits.
        var halves = [Int32](repeating: 0, count: size * size * 4)
        var digit = text.utf8Start
        func difference() -> Int32 {
            var (number, unit): (Int32, Int32) = (0, 1)
            while true {
                let value = Int32(digit.pointee) - 48
                digit += 1
                number += value % 22 * unit
                unit *= 22
                if value < 22 { return number & 1 == 0 ? number / 2 : -(number + 1) / 2 }
            }
        }
        for entry in 0..<4 {
            func half(_ row: Int, _ column: Int) -> Int32 { row < 0 || column < 0 ? 0 : halves[(row * size + column) * 4 + entry] }
            for row in 0..<size {
                for column in 0..<size {
                    halves[(row * size + column) * 4 + entry] =
                        half(row, column - 1) + half(row - 1, column) - half(row - 1, column - 1) + difference()
                }
            }
        }
        func bits(_ index: Int) -> UInt32 { halves[index] < 0 ? 0x8000 | UInt32(-halves[index]) : UInt32(halves[index]) }
        return (0..<size * size * 2).map { bits(2 * $0) | bits(2 * $0 + 1) << 16 }
    }
}
