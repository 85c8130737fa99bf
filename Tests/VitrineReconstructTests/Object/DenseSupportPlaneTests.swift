import Testing
import VitrineGeometry
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// A ball of radius 0.3 on a plain table, which only dense points show, within a box that is cut out of the table.
@Suite struct DenseSupportPlaneTests {
    private static let box = OrientedBox(center: Vector3d(0, 0.3, 0), axes: .identity, halfExtents: Vector3d(0.5, 0.45, 0.5))
    private static let eyes = (0..<12).map { index -> Vector3d in
        let turn = 2 * Double.pi * Double(index) / 12
        return Vector3d(1.5 * sin(turn), 1.2, 1.5 * cos(turn))
    }

    /// - Parameters:
    ///   - tableSide: The length of the table's sides; the box has 1.
    ///   - tilt: The angle of the table about the x axis, radians.
    private func points(tableSide: Double, tilt: Double = 0, ball: Bool = true) -> OrientedPoints {
        var random = SplitMix64(seed: 5)
        func noise() -> Double { 0.012 * (Double(random.below(1001)) / 1000 - 0.5) }
        var positions: [Vector3d] = []
        for _ in 0..<6000 {
            let (x, z) = (tableSide * (Double(random.below(10001)) / 10000 - 0.5), tableSide * (Double(random.below(10001)) / 10000 - 0.5))
            positions.append(Vector3d(x, noise(), z))
        }
        for index in 0..<(ball ? 4000 : 0) {
            let y = 1 - 2 * (Double(index) + 0.5) / 4000
            let (turn, ring) = (2.399963 * Double(index), (1 - y * y).squareRoot())
            positions.append(Vector3d(0.3 * ring * cos(turn), 0.3 + 0.3 * y, 0.3 * ring * sin(turn)))
        }
        let turned = positions.map { Vector3d($0.x, $0.y * cos(tilt) - $0.z * sin(tilt), $0.y * sin(tilt) + $0.z * cos(tilt)) }
        return OrientedPoints(positions: turned.map { Vector3(Float($0.x), Float($0.y), Float($0.z)) }, normals: turned.map { _ in .up })
    }

    @Test(arguments: [0, 5.0, -5])
    func aPlainTableIsFound(_ degrees: Double) throws {
        let tilt = degrees * .pi / 180
        let found = try #require(DenseSupportPlane(in: points(tableSide: 1.15, tilt: tilt), box: Self.box, eyes: Self.eyes))
        let normal = Vector3d(0, cos(tilt), sin(tilt))
        #expect(acos(min(1, dot(found.plane.normal, normal))) < 0.01 && abs(found.plane.offset) < 0.005, "\(found.plane)")
        let level = found.levelFromPoints * found.plane.normal
        #expect(distance(level, Vector3d(0, 1, 0)) < 1e-9)
        let bottom = found.box.center - found.box.axes.y * found.box.halfExtents.y
        #expect(abs(found.plane.signedDistance(to: bottom)) < 1e-9)
    }

    /// The top of a base ends within the box, and a sheet on a table is not cut off.
    @Test func basesAndSheetsAreKept() {
        #expect(DenseSupportPlane(in: points(tableSide: 0.9), box: Self.box, eyes: Self.eyes) == nil)
        #expect(DenseSupportPlane(in: points(tableSide: 1.15, ball: false), box: Self.box, eyes: Self.eyes) == nil)
        #expect(DenseSupportPlane(in: points(tableSide: 1.15), box: Self.box, eyes: []) == nil)
    }
}
