import VitrineMath

/// Keys of lattice cells in Morton order (Morton 1966): the bits of x, y and z interleaved, x lowest, so that sorted keys traverse an octree.
enum Morton {
    /// Up to 21 bits per coordinate.
    @inline(__always) static func key(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt64 { spread(x) | spread(y) << 1 | spread(z) << 2 }

    @inline(__always) private static func spread(_ value: UInt32) -> UInt64 {
        var bits = UInt64(value) & 0x1f_ffff
        bits = (bits | bits << 32) & 0x1f_0000_0000_ffff
        bits = (bits | bits << 16) & 0x1f_0000_ff00_00ff
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3
        bits = (bits | bits << 2) & 0x1249_2492_4924_9249
        return bits
    }

    /// The stable ascending order of `keys`, by a radix sort of their lowest `bits`.
    static func order(_ keys: [UInt64], bits: Int) -> [UInt32] {
        var order = [UInt32](unsafeUninitializedCapacity: keys.count) { storage, count in
            for index in 0..<keys.count { storage.initializeElement(at: index, to: UInt32(truncatingIfNeeded: index)) }
            count = keys.count
        }
        var spare = order
        let digit = 11
        var counts = [Int](repeating: 0, count: 1 << digit)
        for shift in stride(from: 0, to: bits, by: digit) {
            for index in counts.indices { counts[index] = 0 }
            let mask = UInt64(1 << digit - 1)
            keys.withUnsafeBufferPointer { keys in
                for key in keys { counts[Int(truncatingIfNeeded: key >> UInt64(shift) & mask)] &+= 1 }
                var sum = 0
                for index in counts.indices { (counts[index], sum) = (sum, sum + counts[index]) }
                spare.withUnsafeMutableBufferPointer { target in
                    for item in order {
                        let bucket = Int(truncatingIfNeeded: keys[Int(item)] >> UInt64(shift) & mask)
                        target[counts[bucket]] = item
                        counts[bucket] &+= 1
                    }
                }
            }
            swap(&order, &spare)
        }
        return order
    }
}
