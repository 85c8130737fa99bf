/// A fixed number of trivial values in memory, without the checks of an array, for loops over millions of cells.
///
/// Sendable, unchecked: the buffer owns the memory, and the last owner frees it; code that shares a buffer between threads writes each element
/// from one thread, and reads it from others only after a barrier (`Parallel.forEach` returns when all have finished).
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
