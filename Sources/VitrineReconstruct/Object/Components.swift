import VitrineVision

/// Connected components of points.
enum Components {
    /// A number for each point: equal for points that are connected by steps of at most about `link`. Numbered in the points' order.
    ///
    /// Assigns points to cells of size `link`; adjacent cells are one component.
    static func label(_ points: [Vector3d], link: Double) -> [Int] {
        guard link > 0, link.isFinite else { return Array(0..<points.count) }
        let cells = points.map { point -> SIMD3<Int64> in
            let scaled = (point / link).rounded(.down)
            // Far outliers must not overflow.
            return SIMD3<Int64>(scaled.clamped(lowerBound: Vector3d(repeating: -1e15), upperBound: Vector3d(repeating: 1e15)))
        }
        var first: [SIMD3<Int64>: Int] = [:]
        var parents = Array(0..<points.count)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index {
                parents[index] = parents[parents[index]]
                index = parents[index]
            }
            return index
        }
        for (index, cell) in cells.enumerated() {
            if let known = first[cell] { parents[index] = known } else { first[cell] = index }
        }
        for (index, cell) in cells.enumerated() where first[cell] == index {
            for dx in -1...1 as ClosedRange<Int64> {
                for dy in -1...1 as ClosedRange<Int64> {
                    for dz in -1...1 as ClosedRange<Int64> {
                        guard let other = first[cell &+ SIMD3(dx, dy, dz)] else { continue }
                        let (a, b) = (root(index), root(other))
                        if a != b { parents[max(a, b)] = min(a, b) }
                    }
                }
            }
        }
        var numbers: [Int: Int] = [:]
        return points.indices.map { index in
            let top = root(index)
            if let number = numbers[top] { return number }
            numbers[top] = numbers.count
            return numbers.count - 1
        }
    }
}
