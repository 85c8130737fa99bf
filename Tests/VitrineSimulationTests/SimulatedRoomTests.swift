import Foundation
import Testing
import VitrineAR
import VitrineTestSupport
import VitrineVision

@testable import VitrineSimulation

@Suite struct SimulatedRoomTests {
    /// A black world with white discs at known positions.
    private static func discs(_ positions: [Vector3d], radius: Float, facing eye: Vector3) -> SimulatedRoom {
        let scene = Scene()
        scene.environment.background = .color(.black)
        let white = Material(baseColor: .white)
        white.lightingModel = .constant
        white.isDoubleSided = true
        for position in positions {
            let node = Node(mesh: Mesh(geometry: .disc(radius: radius), material: white))
            node.position = Vector3(Float(position.x), Float(position.y), Float(position.z))
            node.look(at: eye)
            scene.rootNode.addChildNode(node)
        }
        return SimulatedRoom(scene)
    }

    /// The pose of an image is exact: discs are at the projections of their centres, for both lens models.
    @Test(arguments: SimulatedDevice.allCases) func imagesMatchTheirPoses(device: SimulatedDevice) throws {
        let camera = device.rig.camera
        let pose = SimulatedPath.held.cameraPoses(duration: 3)[100].pose
        var pixels: [Vector2d] = []
        for row in 0..<5 {
            for column in 0..<5 {
                let pixel = Vector2d(Double(camera.width), Double(camera.height)) * (Vector2d(Double(column), Double(row)) * 0.2 + 0.1)
                // Near the corners of a wide lens, the centroid of a disc is not the projection of its centre.
                if length(pixel - camera.center) < 0.55 * Double(camera.width) { pixels.append(pixel) }
            }
        }
        let positions = pixels.map { pixel -> Vector3d in
            let ray = camera.normalized(pixel)
            let direction = Vector3d(ray.x, ray.y, 1)
            return pose * (direction / length(direction) * 2)
        }
        let eye = Vector3(Float(pose.translation.x), Float(pose.translation.y), Float(pose.translation.z))
        let simulated = try SimulatedCamera(camera, in: Self.discs(positions, radius: Float(12 / camera.focal.x), facing: eye))
        var light = SensorExposure(width: camera.width, height: camera.height)
        try simulated.expose(&light, at: pose)
        let luma = light.captured(SensorExposure.ReadOut(isGray: true)).luma
        var squares: [Double] = []
        for pixel in pixels {
            var (sum, weight) = (Vector2d.zero, 0.0)
            for y in max(0, Int(pixel.y) - 16)..<min(camera.height, Int(pixel.y) + 17) {
                for x in max(0, Int(pixel.x) - 16)..<min(camera.width, Int(pixel.x) + 17) {
                    let share = Foundation.pow(Double(luma[x, y]) / 255, 2.2)
                    sum += Vector2d(Double(x) + 0.5, Double(y) + 0.5) * share
                    weight += share
                }
            }
            #expect(weight > 30)
            squares.append(lengthSquared(sum / weight - pixel))
        }
        #expect(pixels.count > 15)
        #expect(squares.max()! < 0.15 * 0.15, "\(squares.map { $0.squareRoot() })")
        #expect((squares.reduce(0, +) / Double(squares.count)).squareRoot() < 0.06)
    }

    @Test func depthIsMetresAlongTheAxis() throws {
        let camera = SimulatedDevice.euroc.rig.camera
        let white = Material(baseColor: .white)
        let scene = Scene()
        let wall = Node(mesh: Mesh(geometry: .plane(width: 20, height: 20), material: white))
        wall.position = [0, 0, -3]
        scene.rootNode.addChildNode(wall)
        let simulated = try SimulatedCamera(camera, in: SimulatedRoom(scene))
        // Level, looking along −Z.
        let level = RigidTransform(rotation: Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1)), translation: .zero)
        let depth = simulated.depth(at: level, width: 64, height: 41).metres
        #expect(depth.values.allSatisfy { abs($0 - 3) < 1e-4 })
        let turned = RigidTransform(rotation: level.rotation * Matrix3d.rotation(Vector3d(0, 0.5, 0)), translation: .zero)
        let oblique = simulated.depth(at: turned, width: 64, height: 40)
        var (worst, met, missed) = (0.0, 0, 0)
        for (index, metres) in oblique.metres.values.enumerated() {
            let pixel = Vector2d((Double(index % 64) + 0.5) * 752 / 64, (Double(index / 64) + 0.5) * 480 / 40)
            let ray = camera.normalized(pixel)
            let direction = turned.rotation * Vector3d(ray.x, ray.y, 1)
            let expected = 3 / -direction.z
            let isMet = expected > 0 && abs(expected * direction.x) < 10 && abs(expected * direction.y) < 10
            #expect((metres > 0) == isMet, "\(index)")
            if isMet { worst = max(worst, abs(Double(metres) - expected) / expected) }
            if isMet { met += 1 } else { missed += 1 }
        }
        #expect(worst < 1e-4 && met > 2000 && missed > 10, "\(worst) \(met) \(missed)")
    }

    /// The path is free of furniture, and each style has the documented amount of detail.
    @Test func roomsAreFurnishedAroundThePath() throws {
        let poses = SimulatedPath.eight.cameraPoses(duration: 16, rate: 10)
        let rig = SimulatedDevice.phone.rig
        var busy: [SimulatedRoom.Style: Int] = [:]
        for style in SimulatedRoom.Style.allCases {
            let room = SimulatedRoom(style, around: poses.map(\.pose.translation))
            let simulated = try SimulatedCamera(rig.camera, in: room)
            var nearest = Float.infinity
            for pose in poses[...].indices where pose % 8 == 0 {
                let position = poses[pose].pose.translation
                let point = Vector3(Float(position.x), Float(position.y), Float(position.z))
                #expect(room.bounds.contains(point))
                for direction in [Vector3.right, -.right, Vector3(0, 0, 1), Vector3(0, 0, -1)] {
                    nearest = min(nearest, room.scene.pick(Ray(origin: point, direction: direction))?.distance ?? 0)
                }
            }
            #expect(nearest > 0.35, "\(style) \(nearest)")
            var light = SensorExposure(width: rig.camera.width, height: rig.camera.height)
            try simulated.expose(&light, at: poses[40].pose)
            let luma = light.captured(SensorExposure.ReadOut(isGray: true)).luma
            #expect(luma.values.reduce(0) { $0 + Int($1) } / luma.values.count > 60)
            busy[style] = Self.cells(luma)
        }
        #expect(busy[.study]! > 90 && busy[.hall]! > 60 && busy[.bare]! < 60, "\(busy)")
    }

    /// The number of the 192 tiles of 40 × 40 pixels with corners (the smaller eigenvalue of Shi and Tomasi).
    private static func cells(_ luma: Plane<UInt8>) -> Int {
        var count = 0
        for row in 0..<12 {
            for column in 0..<16 {
                var best = 0.0
                for y in stride(from: row * 40 + 6, to: row * 40 + 34, by: 3) {
                    for x in stride(from: column * 40 + 6, to: column * 40 + 34, by: 3) {
                        var (a, b, c) = (0.0, 0.0, 0.0)
                        for j in -2...2 {
                            for i in -2...2 {
                                let dx = Double(luma[x + i + 1, y + j]) - Double(luma[x + i - 1, y + j])
                                let dy = Double(luma[x + i, y + j + 1]) - Double(luma[x + i, y + j - 1])
                                (a, b, c) = (a + dx * dx, b + dx * dy, c + dy * dy)
                            }
                        }
                        best = max(best, (a + c) / 2 - ((a - c) * (a - c) / 4 + b * b).squareRoot())
                    }
                }
                if best > 5000 { count += 1 }
            }
        }
        return count
    }
}
