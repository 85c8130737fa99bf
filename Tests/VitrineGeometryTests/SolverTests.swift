import Testing
import VitrineGeometry

/// The solvers against the equations that they solve.
@Suite struct SolverTests {
    /// A symmetric positive definite matrix, row-major.
    private func matrix(_ size: Int, seed: UInt64) -> [Double] {
        var numbers = SplitMix64(seed: seed)
        let g = (0..<size * size).map { _ in numbers.double() }
        return (0..<size * size).map { element in
            let (i, j) = (element / size, element % size)
            return (0..<size).reduce(i == j ? 1.0 : 0) { $0 + g[$1 * size + i] * g[$1 * size + j] }
        }
    }

    private func residual(_ matrix: [Double], _ x: [Double], _ right: [Double]) -> Double {
        right.indices.map { i in abs(right.indices.reduce(-right[i]) { $0 + matrix[i * right.count + $1] * x[$1] }) }.max() ?? 0
    }

    @Test(arguments: [1, 5, 8, 30, 61]) func symmetricSystems(size: Int) throws {
        var system = SymmetricSystem(size: size)
        system.matrix = matrix(size, seed: UInt64(size))
        var numbers = SplitMix64(seed: 9)
        system.right = (0..<size).map { _ in numbers.double() }
        let factor = try #require(system.factored())
        #expect(residual(system.matrix, factor.solve(system.right), system.right) < 1e-9)
        system.matrix[0] = -1
        #expect(system.factored() == nil)
    }

    @Test(arguments: [1, 3, 6, 8]) func smallSystems(count: Int) throws {
        var system = SmallSymmetricSystem(count: count)
        let elements = matrix(count, seed: UInt64(count) + 40)
        for r in 0..<count {
            for c in 0..<count { system.rows[r][c] = elements[r * count + c] }
            system.right[r] = Double(r) - 1.5
        }
        let x = try #require(system.solve())
        #expect(residual(elements, (0..<count).map { x[$0] }, (0..<count).map { system.right[$0] }) < 1e-10)
        system.rows[count - 1][count - 1] = -1
        #expect(system.solve() == nil)
    }

    @Test func midpointOfRays() throws {
        var numbers = SplitMix64(seed: 3)
        let target = Vector3d(0.3, -0.2, 4)
        var midpoint = RayMidpoint()
        for _ in 0..<6 {
            let origin = numbers.vector3d()
            midpoint.add(origin: origin, direction: normalize(target - origin))
        }
        #expect(length(try #require(midpoint.point) - target) < 1e-12)
        var parallel = RayMidpoint()
        for x in 0..<3 { parallel.add(origin: Vector3d(Double(x), 0, 0), direction: Vector3d(0, 0, 1)) }
        #expect(parallel.point == nil)
    }

    @Test func eigenvectorsDiagonalize() {
        let a = Matrix3d(Vector3d(4, 1, 0.5), Vector3d(1, 3, -0.2), Vector3d(0.5, -0.2, 1))
        let (values, vectors) = a.symmetricEigen()
        #expect(values.x >= values.y && values.y >= values.z && abs(vectors.determinant - 1) < 1e-12)
        for (value, vector) in [(values.x, vectors.x), (values.y, vectors.y), (values.z, vectors.z)] {
            #expect(length(a * vector - vector * value) < 1e-12)
        }
    }
}
