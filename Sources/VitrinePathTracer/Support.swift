import VitrineMath

// Concrete versions that need no specialization by the optimizer.

@inline(__always) func dot(_ a: Vector3, _ b: Vector3) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

@inline(__always) func cross(_ a: Vector3, _ b: Vector3) -> Vector3 {
    Vector3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// `v` at length 1; zero if `v` is.
@inline(__always) func unit(_ v: Vector3) -> Vector3 {
    let squared = dot(v, v)
    return squared > 0 ? v * (1 / squared.squareRoot()) : v
}

/// Relative luminance of linear Rec.709.
@inline(__always) func luminance(_ c: Vector3) -> Float { 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z }

@inline(__always) func largest(_ c: Vector3) -> Float { max(c.x, max(c.y, c.z)) }

@inline(__always) func saturate(_ x: Float) -> Float { min(max(x, 0), 1) }

@inline(__always) func saturate(_ c: Vector3) -> Vector3 { Vector3(saturate(c.x), saturate(c.y), saturate(c.z)) }

@inline(__always) func pow5(_ x: Float) -> Float {
    let squared = x * x
    return squared * squared * x
}

/// Values of a trivial type at a fixed address, which threads read without reference counting.
///
/// Unchecked Sendable: only `init` writes the memory, which the last owner frees.
final class Storage<Element: BitwiseCopyable>: @unchecked Sendable {
    let pointer: UnsafePointer<Element>
    let count: Int

    init(_ values: [Element]) {
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(values.count, 1))
        values.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { memory.initialize(from: base, count: source.count) }
        }
        (pointer, count) = (UnsafePointer(memory), values.count)
    }

    deinit { pointer.deallocate() }
}
