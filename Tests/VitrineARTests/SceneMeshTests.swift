import Testing
import VitrineGeometry
import VitrineMath
import VitrineTracking
import VitrineVision

import struct Foundation.UUID

@testable import VitrineAR

/// A floor at y = 0 and a box on it, as depth images see them.
private struct DepthRoom {
    var box: BoundingBox? = BoundingBox(minimum: Vector3(-0.17, 0, -0.13), maximum: Vector3(0.19, 0.9, 0.21))
    static let camera = CameraIntrinsics(width: 96, height: 72, verticalFieldOfView: 0.9)

    static func pose(_ angle: Double) -> RigidTransform {
        let eye = Vector3d(1.9 * sin(angle), 1.3, 1.9 * cos(angle))
        let forward = normalize(Vector3d(0, 0.35, 0) - eye)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        return RigidTransform(rotation: Matrix3d(right, cross(forward, right), forward), translation: eye)
    }

    func depth(_ pose: RigidTransform) -> DepthImage {
        var metres = Plane<Float>(width: Self.camera.width, height: Self.camera.height, repeating: 0)
        for y in 0..<metres.height {
            for x in 0..<metres.width {
                let pixel = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - Self.camera.center) / Self.camera.focal
                let direction = Vector3(pose.rotation * Vector3d(pixel.x, pixel.y, 1))
                let ray = Ray(origin: Vector3(pose.translation), direction: direction)
                var nearest = Float.infinity
                if direction.y < 0 { nearest = -ray.origin.y / direction.y }
                if let box, let hit = ray.intersection(with: box) { nearest = min(nearest, hit.near) }
                // Directions have z = 1.
                if nearest.isFinite { metres[x, y] = nearest }
            }
        }
        return DepthImage(metres: metres)
    }

    func frame(_ number: Int, angle: Double) -> TrackedFrame {
        let (pose, time) = (Self.pose(angle), Double(number) / 20)
        let image = CapturedImage(luma: Plane(width: Self.camera.width, height: Self.camera.height, repeating: 128))
        let result = TrackingResult(time: time, state: .normal, worldFromCamera: pose, rig: SensorRig(camera: Self.camera))
        return TrackedFrame(
            sample: CameraSample(time: time, image: image, depth: depth(pose), worldFromCamera: pose), result: result, timestamp: time)
    }

    /// The distance of a point from the nearest surface.
    func distance(_ p: Vector3) -> Float {
        guard let box else { return abs(p.y) }
        let away = pointwiseMax(box.minimum - p, p - box.maximum)
        let outside = length(pointwiseMax(away, Vector3.zero))
        return min(abs(p.y), outside > 0 ? outside : -away.max())
    }
}

struct SceneMeshTests {
    /// The anchors after a number of frames on an arc, and after the queues are empty.
    private func reconstruct(_ room: DepthRoom, into mesh: inout SceneMesh, frames: Int, _ known: inout [UUID: ARMeshAnchor]) -> Int {
        var removed = 0
        for number in 0..<frames + 40 {
            let angle = 0.7 * sin(Double(min(number, frames)) * 0.1)
            let changes = mesh.update(with: room.frame(number, angle: angle))
            #expect(changes.current.count <= 8)
            for anchor in changes.current { known[anchor.identifier] = anchor }
            for identifier in changes.removed { known[identifier] = nil }
            removed += changes.removed.count
        }
        return removed
    }

    private func world(_ anchors: some Collection<ARMeshAnchor>) -> [(position: Vector3, normal: Vector3)] {
        anchors.flatMap { anchor in
            zip(anchor.geometry.vertices, anchor.geometry.normals).map {
                (anchor.transform.transform(point: $0), anchor.transform.transform(direction: $1))
            }
        }
    }

    @Test func verticesLieOnTheSurfaces() {
        var (mesh, known): (SceneMesh, [UUID: ARMeshAnchor]) = (SceneMesh(), [:])
        _ = reconstruct(DepthRoom(), into: &mesh, frames: 60, &known)
        let vertices = world(known.values)
        #expect(known.count > 15 && vertices.count > 3000)
        let errors = vertices.map { DepthRoom().distance($0.position) }.sorted()
        #expect(errors[errors.count / 2] < 0.002, "median \(errors[errors.count / 2])")
        #expect(errors[errors.count * 95 / 100] < 0.012, "95 %: \(errors[errors.count * 95 / 100])")
        // The floor's normals point up, the box's front towards the camera.
        let floor = vertices.filter { abs($0.position.y) < 0.01 && length(Vector2($0.position.x, $0.position.z)) > 0.5 }
        #expect(floor.count { $0.normal.y > 0.95 } * 100 > floor.count * 97 && floor.count > 500)
        let front = vertices.filter {
            abs($0.position.z - 0.21) < 0.01 && $0.position.y > 0.1 && $0.position.y < 0.8 && abs($0.position.x) < 0.12
        }
        #expect(front.allSatisfy { $0.normal.z > 0.9 } && front.count > 50)
        // Faces are counterclockwise as seen from outside; at sharp edges, the normal of a vertex may differ.
        var (faces, reversed) = (0, 0)
        for anchor in known.values {
            for face in anchor.geometry.faces {
                let v = anchor.geometry.vertices
                let normal = cross(v[Int(face.y)] - v[Int(face.x)], v[Int(face.z)] - v[Int(face.x)])
                faces += 1
                if dot(normal, anchor.geometry.normals[Int(face.x)]) < 0 { reversed += 1 }
            }
        }
        #expect(reversed * 100 < faces)
        #expect(mesh.byteCount < 8 << 20)
    }

    /// In the middle of the observed floor, each edge belongs to two triangles, also across blocks.
    @Test func blocksMeetWithoutCracks() {
        var (mesh, known): (SceneMesh, [UUID: ARMeshAnchor]) = (SceneMesh(), [:])
        _ = reconstruct(DepthRoom(box: nil), into: &mesh, frames: 40, &known)
        var edges: [SIMD8<Int32>: Int] = [:]
        for anchor in known.values {
            let points = anchor.geometry.vertices.map { anchor.transform.transform(point: $0) }
            for face in anchor.geometry.faces {
                for corner in 0..<3 {
                    let (a, b) = (points[Int(face[corner])], points[Int(face[(corner + 1) % 3])])
                    guard [a, b].allSatisfy({ abs($0.x) < 0.55 && abs($0.z) < 0.55 }) else { continue }
                    func key(_ p: Vector3) -> [Int32] { (0..<3).map { Int32(((p[$0] + 0.0033) * 5000).rounded()) } }
                    let ends = [key(a), key(b)].sorted { $0.lexicographicallyPrecedes($1) }
                    let (p, q) = (ends[0], ends[1])
                    edges[SIMD8(p[0], p[1], p[2], q[0], q[1], q[2], 0, 0), default: 0] += 1
                }
            }
        }
        #expect(edges.count > 2000)
        let single = edges.filter { $0.value != 2 }
        // Edges at the border of the examined square have one triangle inside it.
        let inner = single.keys.filter { edge in (0..<6).allSatisfy { $0 % 3 == 1 || abs(edge[$0]) < 2600 } }
        #expect(inner.isEmpty, "\(inner.count) of \(edges.count)")
    }

    /// A box that is taken away leaves nothing, although the floor behind its upper part lies beyond the range of fusion.
    @Test func aRemovedObjectLeavesNoMesh() {
        var (mesh, known): (SceneMesh, [UUID: ARMeshAnchor]) = (SceneMesh(), [:])
        _ = reconstruct(DepthRoom(), into: &mesh, frames: 60, &known)
        func boxVertices() -> Int {
            world(known.values).count { $0.position.y > 0.06 && $0.position.y < 1 && length(Vector2($0.position.x, $0.position.z)) < 0.4 }
        }
        #expect(boxVertices() > 500)
        let empty = DepthRoom(box: nil)
        // Rays through the upper part meet the floor beyond 4 m.
        #expect(empty.depth(DepthRoom.pose(0)).metres.values.contains { $0 > DepthVolume.range.upperBound })
        _ = reconstruct(empty, into: &mesh, frames: 60, &known)
        #expect(boxVertices() == 0)
        #expect(world(known.values).count { $0.position.y < 0.01 } > 1000)
    }

    @Test func theSameImagesGiveTheSameMesh() {
        var results: [[UUID: ARMeshAnchor]] = []
        for _ in 0..<2 {
            var (mesh, known): (SceneMesh, [UUID: ARMeshAnchor]) = (SceneMesh(), [:])
            _ = reconstruct(DepthRoom(), into: &mesh, frames: 10, &known)
            results.append(known)
        }
        #expect(results[0] == results[1])
    }

    /// Old blocks make room for new ones.
    @Test func memoryIsBounded() {
        var volume = DepthVolume()
        let far = DepthImage(metres: Plane(width: 96, height: 72, repeating: 3.8))
        for step in 0..<40 {
            let pose = RigidTransform(rotation: .identity, translation: Vector3d(Double(step) * 5, 0, 0))
            let view = DepthView(far, camera: DepthRoom.camera, volumeFromCamera: pose, range: DepthVolume.range)
            let (observed, _) = volume.prepare(for: view) { _ in true }
            #expect(!observed.isEmpty)
        }
        #expect(volume.keys.count == DepthVolume.capacity)
        #expect(volume.byteCount == DepthVolume.capacity * 12_288)
    }

    // MARK: In a session

    private static let rig = SensorRig(camera: DepthRoom.camera, hasInertialUnit: false)

    private func session(frames: Int, hasDepth: Bool = true) -> ARSession {
        let steps = (0..<frames).map { number -> ScriptedSource.Step in
            var sample = DepthRoom().frame(number, angle: 0.02 * Double(number)).sample
            if !hasDepth { sample.depth = nil }
            return .event(.image(sample))
        }
        return ARSession(source: ScriptedSource(steps, rig: Self.rig), pace: .stepped)
    }

    private func meshes(_ frame: ARFrame?) -> [ARMeshAnchor] { (frame?.anchors ?? []).compactMap { $0 as? ARMeshAnchor } }

    @Test func sessionsReportMeshAnchors() async throws {
        let session = session(frames: 40)
        let configuration = ARWorldTrackingConfiguration(tracking: .recorded, sceneReconstruction: .mesh)
        session.run(configuration)
        for _ in 0..<20 { _ = try await session.step() }
        let frame = try #require(session.currentFrame)
        #expect(meshes(frame).count > 8)

        // Rays hit the box and the floor where they are.
        let down = ARRaycastQuery(origin: Vector3(0.6, 1, 0.6), direction: Vector3(0, -1, 0), allowing: .estimatedPlane, alignment: .any)
        let floor = try #require(session.raycast(down).first)
        #expect(abs(floor.worldTransform.translation.y) < 0.005 && floor.targetAlignment == .horizontal && floor.anchor is ARMeshAnchor)
        let ahead = ARRaycastQuery(
            origin: Vector3(0, 0.4, 1.5), direction: Vector3(0, 0, -2), allowing: .estimatedPlane, alignment: .vertical)
        let front = try #require(session.raycast(ahead).first)
        #expect(abs(front.worldTransform.translation.z - 0.21) < 0.01 && abs(front.distance - 1.29) < 0.01)
        #expect(
            session.raycast(ARRaycastQuery(origin: down.origin, direction: down.direction, allowing: .estimatedPlane, alignment: .vertical))
                .isEmpty)

        // A moved origin moves anchors and later updates alike.
        try session.setWorldOrigin(relativeTransform: Matrix4(translation: Vector3(0, -2, 0)))
        for _ in 0..<10 { _ = try await session.step() }
        let moved = meshes(session.currentFrame)
        let heights = world(moved).map(\.position.y)
        #expect((heights.min() ?? 0) > 1.9 && (heights.max() ?? 9) < 2.95)

        // Removed by the app, an anchor does not come back; maps contain no mesh.
        session.remove(anchor: moved[0])
        for _ in 0..<3 { _ = try await session.step() }
        #expect(!meshes(session.currentFrame).contains { $0.identifier == moved[0].identifier })

        session.run(configuration, options: .resetSceneReconstruction)
        let first = try await session.step()
        #expect(meshes(first).count <= 8)
        session.run(ARWorldTrackingConfiguration(tracking: .recorded))
        #expect(meshes(try await session.step()).isEmpty)
    }

    @Test func aMeshWithoutDepthIsAProblem() async throws {
        let session = session(frames: 40, hasDepth: false)
        session.run(ARWorldTrackingConfiguration(tracking: .recorded, sceneReconstruction: .mesh))
        while try await session.step() != nil {}
        #expect(meshes(session.currentFrame).isEmpty)
        #expect(session.problems.messages == ["sceneReconstruction needs depth images, which the source does not have: there is no mesh"])
    }

    /// A correction of the world moves the mesh and later fusion by the same transform.
    @Test func correctionsMoveTheMesh() async throws {
        let shift = RigidTransform(rotation: .identity, translation: Vector3d(0, 0.05, 0))
        let poses = (0..<60).map { DepthRoom.pose(0.01 * Double($0)) }
        let steps = (0..<60).map { ScriptedSource.Step.event(.image(DepthRoom().frame($0, angle: 0.01 * Double($0)).sample)) }
        let session = ARSession(source: ScriptedSource(steps, rig: Self.rig), pace: .stepped)
        session.run(
            ARWorldTrackingConfiguration(
                tracking: .scripted { index, time in
                    // From the twentieth image on, the tracker's world is 5 cm higher.
                    var result = TrackingResult(
                        time: time, state: .normal, worldFromCamera: index < 20 ? poses[index] : shift * poses[index], rig: Self.rig)
                    if index == 20 { result.relocalizationCorrection = shift }
                    return result
                }, sceneReconstruction: .mesh))
        var heights: [Float] = []
        for _ in 0..<60 {
            let floor = world(meshes(try await session.step())).map(\.position).filter { $0.x > 0.4 && $0.y < 0.2 }.map(\.y).sorted()
            heights.append(floor.isEmpty ? .nan : floor[floor.count / 2])
        }
        #expect(abs(heights[19]) < 0.005 && abs(heights[20] - heights[19]) < 0.005 && abs(heights[59] - 0.05) < 0.005)
        #expect(zip(heights[19...], heights[20...]).allSatisfy { abs($1 - $0) < 0.012 }, "\(heights[19...])")
    }
}
