import Testing
import VitrineMath

@Suite struct QuaternionTests {
    private func expectSame(_ a: Quaternion, _ b: Quaternion, _ tolerance: Float = 2e-6, _ comment: Comment? = nil) {
        #expect(1 - abs(dot(a.vector, b.vector)) < tolerance, comment)
        for axis: Vector3 in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            #expect(distance(a.rotate(axis), b.rotate(axis)) < tolerance.squareRoot() * 0.5, comment)
        }
    }

    @Test func matricesAndQuaternionsAgree() {
        var random = TestRandom(seed: 4)
        for _ in 0..<200 {
            let q = random.quaternion()
            let m = Matrix3(q)
            let v = random.vector3()
            #expect(distance(m * v, q.rotate(v)) < 1e-5)
            #expect(abs(m.determinant - 1) < 1e-5)
            expectSame(Quaternion(m), q)
        }
        // Half turns: the trace is −1, in each of Shepperd's branches.
        for axis: Vector3 in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, -1], [1, 2, 3]] {
            let q = Quaternion(angle: .degrees(180), axis: axis)
            expectSame(Quaternion(Matrix3(q)), q)
        }
    }

    @Test func eulerAnglesRoundTripAlsoAtThePoles() {
        let degrees: [Float] = [-180, -90, -89.99, -60, -0.01, 0, 0.01, 30, 89.9, 89.99, 89.999, 90, 179]
        for x in degrees {
            for y in degrees where abs(y) <= 90 {
                for z in degrees {
                    let angles = Vector3(x, y, z) * (.pi / 180)
                    let q = Quaternion(eulerAngles: angles)
                    expectSame(Quaternion(eulerAngles: q.eulerAngles), q, 2e-6, "\(x) \(y) \(z)")
                }
            }
        }
    }

    @Test func eulerAnglesAreKeptAwayFromThePoles() {
        let angles = Vector3(0.3, -1.2, 2.5)
        #expect(distance(Quaternion(eulerAngles: angles).eulerAngles, angles) < 1e-5)
        // x first: a turn of 90° about x, then about y.
        let q = Quaternion(eulerAngles: [.pi / 2, .pi / 2, 0])
        #expect(distance(q.rotate([0, 1, 0]), [1, 0, 0]) < 1e-6)
    }

    @Test func productsApplyTheRightFactorFirst() {
        let a = Quaternion(angle: .degrees(90), axis: [0, 0, 1])
        let b = Quaternion(angle: .degrees(90), axis: [1, 0, 0])
        let v = Vector3(0, 1, 0)
        #expect(distance((a * b).rotate(v), a.rotate(b.rotate(v))) < 1e-6)
        #expect(distance((a * b).rotate(v), [0, 0, 1]) < 1e-6)
        expectSame(a * a.inverse, .identity)
    }

    @Test func shortestRotationMapsDirections() {
        var random = TestRandom(seed: 6)
        for _ in 0..<200 {
            let (from, to) = (random.vector3(), random.vector3())
            #expect(distance(Quaternion(from: from, to: to).rotate(normalize(from)), normalize(to)) < 1e-5)
        }
        // Nearly and exactly opposite, nearly and exactly equal.
        for off: Float in [0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            for sign: Float in [-1, 1] {
                let to = normalize(Vector3(sign, off, 0))
                #expect(distance(Quaternion(from: [1, 0, 0], to: to).rotate([1, 0, 0]), to) < 5e-6, "\(off) \(sign)")
            }
        }
    }

    @Test func slerpRunsAtConstantSpeedAlongTheShortArc() {
        let a = Quaternion(angle: .degrees(10), axis: [1, 2, 3])
        for span: Float in [0.01, 1, 90, 175] {
            let b = Quaternion(angle: .degrees(10 + span), axis: [1, 2, 3])
            for target in [b, Quaternion(vector: -b.vector)] {
                for step in 0...8 {
                    let t = Float(step) / 8
                    let expected = Quaternion(angle: .degrees(10 + span * t), axis: [1, 2, 3])
                    expectSame(a.slerp(to: target, t), expected)
                    #expect(abs(length(a.slerp(to: target, t).vector) - 1) < 1e-5)
                }
            }
        }
        // More than half a turn away: the other direction is shorter.
        let far = Quaternion(angle: .degrees(350), axis: .up)
        #expect(abs(Quaternion.identity.slerp(to: far, 0.5).angle.degrees - 5) < 1e-3)
    }

    @Test func zeroLengthGivesTheIdentity() {
        #expect(Quaternion(angle: .degrees(40), axis: .zero) == .identity)
        #expect(Quaternion(x: 0, y: 0, z: 0, w: 0).normalized == .identity)
        #expect(Quaternion(from: .zero, to: [1, 0, 0]).vector.isFinite)
    }
}
