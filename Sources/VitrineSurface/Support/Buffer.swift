/// A fixed number of plain values in memory, without the checks of an array: for the loops that run over millions of cells.
///
/// Sendable, unchecked: the memory is owned here and freed by the last owner; code that shares one between threads lets each element be
/// written by one thread, and read by others only after a barrier (`Parallel.forEach` returns when all have finished).
final class Buffer<Element: BitwiseCopyable>: @unchecked Sendable {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(count: Int, repeating value: Element) {
        self.count = count
        base = .allocate(capacity: max(1, count))
        base.initialize(repeating: value, count: count)
    }

    deinit { base.deallocate() }

    @inline(__always) subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        set {
            assert(index >= 0 && index < count)
            base[index] = newValue
        }
    }

    @inline(__always) subscript(index: Int32) -> Element {
        get { self[Int(index)] }
        set { self[Int(index)] = newValue }
    }
}
