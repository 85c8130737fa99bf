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
        let slot = slot(of: key)
        if keys[slot] == key { return numbers[slot] }
        keys[slot] = key
        numbers[slot] = make()
        count += 1
        return numbers[slot]
    }

    /// The number of `key`, if it has one.
    func number(_ key: UInt64) -> UInt32? {
        let slot = slot(of: key)
        return keys[slot] == key ? numbers[slot] : nil
    }

    @inline(__always)
    private func slot(of key: UInt64) -> Int {
        let mask = keys.count &- 1
        var slot = Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & mask
        while keys[slot] != key, keys[slot] != Self.free { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let (oldKeys, oldNumbers) = (keys, numbers)
        keys = Array(repeating: Self.free, count: 2 * oldKeys.count)
        numbers = Array(repeating: 0, count: 2 * oldKeys.count)
        for index in oldKeys.indices where oldKeys[index] != Self.free {
            let slot = slot(of: oldKeys[index])
            (keys[slot], numbers[slot]) = (oldKeys[index], oldNumbers[index])
        }
    }
}
