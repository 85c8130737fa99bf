import VitrineMath

/// The values of nodes that are written one by one, by slot, in unmanaged memory, because reference counting and exclusivity checks would cost ten
/// times as much as the write. Owned by a `NodeStore`; a slot is valid while its node is attached.
struct NodeInputs {
    /// The flags of a slot's node.
    struct Flags: OptionSet {
        let rawValue: UInt16
        static let isAttached = Flags(rawValue: 1)
        static let isHidden = Flags(rawValue: 2)
        /// The local transform, opacity or bounds changed since the last update.
        static let hasMoved = Flags(rawValue: 4)
        /// The local matrix is not only translation · rotation · scale: see `NodeStore.specials`.
        static let isSpecial = Flags(rawValue: 8)
        static let isSkinned = Flags(rawValue: 16)
        static let castsNoShadow = Flags(rawValue: 32)
        /// The node is in the store's list of nodes with actions.
        static let isActing = Flags(rawValue: 64)
        static let isConstrained = Flags(rawValue: 128)
    }

    private(set) var locals: UnsafeMutablePointer<Transform>
    private(set) var opacities: UnsafeMutablePointer<Float>
    private(set) var flags: UnsafeMutablePointer<Flags>
    private(set) var count = 0
    private var capacity = 16
    // Elements contain no references: freeing the memory is enough.

    /// Whether any slot has moved, or the tree changed.
    var anythingMoved = true

    init() {
        locals = .allocate(capacity: capacity)
        opacities = .allocate(capacity: capacity)
        flags = .allocate(capacity: capacity)
    }

    func deallocate() {
        locals.deallocate()
        opacities.deallocate()
        flags.deallocate()
    }

    /// Adds one free slot.
    mutating func append() {
        if count == capacity {
            NodeInputs.grow(&locals, count: count, capacity: capacity * 2)
            NodeInputs.grow(&opacities, count: count, capacity: capacity * 2)
            NodeInputs.grow(&flags, count: count, capacity: capacity * 2)
            capacity *= 2
        }
        (locals + count).initialize(to: .identity)
        (opacities + count).initialize(to: 1)
        (flags + count).initialize(to: [])
        count += 1
    }

    private static func grow<Element>(_ memory: inout UnsafeMutablePointer<Element>, count: Int, capacity: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        larger.moveInitialize(from: memory, count: count)
        memory.deallocate()
        memory = larger
    }

    @inline(__always)
    mutating func markMoved(_ slot: Int32) {
        flags[Int(slot)].insert(.hasMoved)
        anythingMoved = true
    }
}
