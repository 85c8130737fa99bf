/// Numbers for pairs, in the order of their first use. Open addressing; never iterated.
struct PairTable {
    private var keys: [UInt64]
    private var numbers: [UInt32]
    private var count = 0
    private static let free = UInt64.max

    init(capacity: Int) {
        var size = 1024
        while size < 2 * capacity { size *= 2 }
        keys = Array(repeating: Self.free, count: size)
        numbers = Array(repeating: 0, count: size)
    }

    /// The number of `key`, which must not be all ones; `make` gives a new key its number.
    @inline(__always)
    mutating func number(_ key: UInt64, _ make: () -> UInt32) -> UInt32 {
        if 3 * count > 2 * keys.count { grow() }
        let place = place(of: key)
        if keys[place] == key { return numbers[place] }
        keys[place] = key
        numbers[place] = make()
        count += 1
        return numbers[place]
    }

    /// The number of `key`, if it has one.
    func number(_ key: UInt64) -> UInt32? {
        let place = place(of: key)
        return keys[place] == key ? numbers[place] : nil
    }

    @inline(__always)
    private func place(of key: UInt64) -> Int {
        let mask = keys.count &- 1
        var place = Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & mask
        while keys[place] != key, keys[place] != Self.free { place = (place &+ 1) & mask }
        return place
    }

    private mutating func grow() {
        let (oldKeys, oldNumbers) = (keys, numbers)
        keys = Array(repeating: Self.free, count: 2 * oldKeys.count)
        numbers = Array(repeating: 0, count: 2 * oldKeys.count)
        for index in oldKeys.indices where oldKeys[index] != Self.free {
            let place = place(of: oldKeys[index])
            (keys[place], numbers[place]) = (oldKeys[index], oldNumbers[index])
        }
    }
}
