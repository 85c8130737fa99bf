import Testing
import VitrineMath

@Suite struct MatrixTests {
    /// The inverse in Double, by elimination with row exchange; columns of 4.
    private func oracleInverse(_ matrix: Matrix4) -> [[Double]] {
        let columns = [matrix.x, matrix.y, matrix.z, matrix.w]
        var rows = (0..<4).map { r in (0..<4).map { Double(columns[$0][r]) } + (0..<4).map { $0 == r ? 1.0 : 0 } }
        for step in 0..<4 {
            let pivot = (step..<4).max { abs(rows[$0][step]) < abs(rows[$1][step]) }!
            rows.swapAt(step, pivot)
            let scale = rows[step][step]
            rows[step] = rows[step].map { $0 / scale }
            for other in 0..<4 where other != step {
                let factor = rows[other][step]
                rows[other] = zip(rows[other], rows[step]).map { $0 - factor * $1 }
            }
        }
        return (0..<4).map { c in (0..<4).map { rows[$0][4 + c] } }
    }

    private func expectClose(_ matrix: Matrix4, _ oracle: [[Double]], _ tolerance: Double) {
        let largest = oracle.flatMap { $0 }.map { abs($0) }.max()!
        for (column, expected) in zip([matrix.x, matrix.y, matrix.z, matrix.w], oracle) {
            for row in 0..<4 { #expect(abs(Double(column[row]) - expected[row]) < tolerance * largest) }
        }
    }

    @Test func inverseMatchesElimination() {
        var random = TestRandom(seed: 1)
        for _ in 0..<200 {
            func column() -> Vector4 { Vector4(random.float(), random.float(), random.float(), random.float()) * 3 }
            let m = Matrix4(column(), column(), column(), column())
            guard abs(m.determinant) > 0.5 else { continue }
            expectClose(m.inverse, oracleInverse(m), 2e-4)
        }
    }

    @Test func affineInverseIsTheInverse() {
        var random = TestRandom(seed: 2)
        for _ in 0..<200 {
            let scale = Vector3(1.5, 1, 0.25) + random.vector3() * 0.2
            let m = Transform(translation: random.vector3() * 100, rotation: random.quaternion(), scale: scale).matrix
            expectClose(m.affineInverse, oracleInverse(m), 1e-5)
            #expect((m.affineInverse * m).isClose(to: .identity, tolerance: 1e-4))
        }
    }

    @Test func invertsTinyScales() {
        let m = Transform(translation: [1, 2, 3], scale: [1e-10, 1e-10, 1e-10]).matrix
        #expect((m.affineInverse * m).isClose(to: .identity, tolerance: 1e-5))
        let large = Matrix4(scale: [1e12, 1e12, 1e12])
        #expect((large.affineInverse * large).isClose(to: .identity, tolerance: 1e-5))
    }

    @Test func determinants() {
        #expect(Matrix4(scale: [2, 3, 4]).determinant == 24)
        #expect(Matrix4([0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]).determinant == -1)
        let m = Matrix4([1, 5, 2, 0], [0, 1, 7, 3], [2, 1, 1, 4], [3, 0, 2, 1])
        // The transpose has the same determinant, and the determinant of a product is the product.
        #expect(m.determinant == m.transpose.determinant)
        #expect(abs((m * m).determinant - m.determinant * m.determinant) < 1e-2 * m.determinant * m.determinant)
    }

    @Test func productsAreComposition() {
        let turn = Matrix4(Matrix3(Quaternion(angle: .degrees(90), axis: [0, 0, 1])))
        let move = Matrix4(translation: [1, 0, 0])
        #expect(distance((turn * move).transform(point: .zero), [0, 1, 0]) < 1e-6)
        #expect(distance((move * turn).transform(point: .zero), [1, 0, 0]) < 1e-6)
        #expect(turn.transform(direction: [1, 0, 0]) == (turn * Vector4(1, 0, 0, 0)).xyz)
    }

    @Test func cofactorTransformsNormals() {
        let m = Matrix3([2, 0, 0], [0.5, 1, 0], [0, 0, -3])
        let (u, v) = (Vector3(1, 2, 0.5), Vector3(0, 1, -1))
        let normal = cross(u, v)
        let moved = m.cofactor * normal
        #expect(abs(dot(moved, m * u)) < 1e-5 && abs(dot(moved, m * v)) < 1e-5)
        #expect(distance(moved, cross(m * u, m * v)) < 1e-5)
    }

    @Test func transformsDecomposeAndRecompose() {
        var random = TestRandom(seed: 3)
        for index in 0..<100 {
            let mirror: Float = index % 2 == 0 ? -1 : 1
            let scale = (Vector3(repeating: 1.2) + random.vector3()) * Vector3(mirror, 1, 1)
            let matrix = Transform(translation: random.vector3(), rotation: random.quaternion(), scale: scale).matrix
            #expect(Transform(matrix).matrix.isClose(to: matrix, tolerance: 1e-5))
        }
        for flat: Vector3 in [[0, 1, 1], [1, 0, 1], [0, 0, 1], [0, 0, 0]] {
            let matrix = Matrix4(scale: flat)
            #expect(Transform(matrix).matrix.isClose(to: matrix))
            #expect(abs(length(Transform(matrix).rotation.vector) - 1) < 1e-5)
        }
    }

    @Test func lookAtAlongTheUpVectorGivesAPose() {
        let pose = Matrix4.lookAt(eye: [0, 5, 0], target: [0, 0, 0])
        #expect(abs(pose.linear.determinant - 1) < 1e-5)
        #expect(distance(pose.transform(direction: .forward), [0, -1, 0]) < 1e-6)
        let nowhere = Matrix4.lookAt(eye: [1, 1, 1], target: [1, 1, 1])
        #expect(abs(nowhere.linear.determinant - 1) < 1e-5)
    }
}
