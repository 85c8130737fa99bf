import Testing
import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// Detection, identification and poses of printed markers.
struct MarkerTests {
    private let camera = PrintedMarker.camera

    @Test(arguments: [(MarkerDictionary.aprilTag36h11, 587, 11), (.aruco4x4, 50, 4)])
    func codesHaveTheMinimumDistance(dictionary: MarkerDictionary, count: Int, distance: Int) {
        #expect(dictionary.count == count)
        var least = Int.max
        for (i, code) in dictionary.codes.enumerated() {
            var turned = code
            for quarter in 0..<4 {
                for j in i..<count where j != i || quarter > 0 {
                    least = min(least, (turned ^ dictionary.codes[j]).nonzeroBitCount)
                }
                turned = dictionary.turned(turned)
            }
            #expect(turned == code)
        }
        #expect(least == distance)
        #expect(dictionary.correctable * 2 < distance)
    }

    private func check(
        _ marker: PrintedMarker, _ image: Plane<UInt8>, corner: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let found = MarkerDetector(dictionaries: [.aprilTag36h11, .aruco4x4]).detect(image)
        #expect(found.count == 1, sourceLocation: sourceLocation)
        guard let first = found.first else { return }
        #expect(first.id == marker.id && first.dictionary == marker.dictionary, sourceLocation: sourceLocation)
        let worst = zip(first.corners, marker.corners()).map { length($0 - $1) }.max()!
        #expect(worst < corner, sourceLocation: sourceLocation)
    }

    @Test func detectsCornersWithSubpixelAccuracy() {
        let slanted = PrintedMarker(id: 21, cameraFromMarker: PrintedMarker.pose(Vector3d(0.5, -0.6, 0.4), Vector3d(0.03, -0.02, 0.6)))
        check(slanted, slanted.image(), corner: 0.1)
        check(slanted, slanted.image(blur: 1, noise: 4), corner: 0.3)
        check(slanted, slanted.image(noise: 3, darkening: 0.7), corner: 0.3)
        let small = PrintedMarker(id: 586, cameraFromMarker: PrintedMarker.pose(Vector3d(0.2, 0.3, -0.2), Vector3d(-0.4, 0.2, 1.9)))
        check(small, small.image(noise: 2), corner: 0.35)
        let other = PrintedMarker(
            dictionary: .aruco4x4, id: 17, cameraFromMarker: PrintedMarker.pose(Vector3d(-0.4, 0.1, 0), Vector3d(0.1, 0, 0.8)))
        check(other, other.image(noise: 2), corner: 0.25)
    }

    @Test func identifiesRotatedMarkers() {
        for quarter in 0..<8 {
            let turn = Vector3d(0, 0, 0.2 + Double(quarter) * 0.7853981634)
            let marker = PrintedMarker(id: 100 + quarter, cameraFromMarker: PrintedMarker.pose(turn, Vector3d(0, 0, 0.7)))
            check(marker, marker.image(), corner: 0.15)
        }
    }

    @Test func reportsBothPosesTheBetterFirst() throws {
        let marker = PrintedMarker(id: 3, cameraFromMarker: PrintedMarker.pose(Vector3d(0.6, 0.5, 0.3), Vector3d(0.02, 0.03, 0.5)))
        let found = try #require(MarkerDetector().detect(marker.image(noise: 1)).first)
        let poses = found.poses(edge: marker.edge, camera: camera)
        #expect(poses.count == 2 && poses[0].error < 0.2 && poses[1].error > poses[0].error)
        let off = poses[0].cameraFromMarker * marker.cameraFromMarker.inverse
        #expect(abs(off.rotation.trace - 3) < 1e-4)
        #expect(length(poses[0].cameraFromMarker.translation - marker.cameraFromMarker.translation) < 0.003)
        // A marker far away: one of the two poses is correct.
        let far = PrintedMarker(id: 3, cameraFromMarker: PrintedMarker.pose(Vector3d(0.5, 0, 0), Vector3d(0, 0, 4)))
        let exact = Marker(dictionary: .aprilTag36h11, id: 3, corners: far.corners(), corrected: 0)
        let both = exact.poses(edge: far.edge, camera: camera)
        #expect(both.count == 2 && both[0].error < 1e-6 && both[1].error < 0.3)
        #expect(length(both[0].cameraFromMarker.translation - far.cameraFromMarker.translation) < 1e-6)
        #expect(exact.poses(edge: 0, camera: camera).isEmpty)
    }

    @Test func correctsWrongCells() {
        let code = MarkerDictionary.aprilTag36h11.codes[40]
        let damaged = MarkerDictionary.aprilTag36h11.turned(code ^ 0b1000_0000_0001_0000_0001)
        let found = MarkerDictionary.aprilTag36h11.match(damaged)
        #expect(found?.id == 40 && found?.turns == 1 && found?.wrong == 3)
        #expect(MarkerDictionary.aprilTag36h11.match(code ^ 0b1111) == nil)
    }

    @Test func rejectsOtherPatterns() {
        var numbers = SplitMix64(seed: 4)
        let detector = MarkerDetector()
        #expect(detector.detect(Plane<UInt8>(width: 0, height: 0, values: [])).isEmpty)
        #expect(detector.detect(Plane<UInt8>(width: 16, height: 16, repeating: 0)).isEmpty)
        for size in [1, 3, 8, 21] {
            // Random grey blocks: many dark regions with straight edges.
            var image = Plane<UInt8>(width: 320, height: 240, repeating: 0)
            let blocks = (0..<80_000).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            for y in 0..<240 { for x in 0..<320 { image[x, y] = blocks[y / size * 320 + x / size] } }
            #expect(detector.detect(image).isEmpty)
        }
        #expect(detector.detect(PaintedWall().image(camera)).isEmpty)
    }
}
