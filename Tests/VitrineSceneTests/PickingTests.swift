import Testing

@testable import VitrineGeometry
@testable import VitrineScene

@Suite struct PickingTests {
    private func scene(_ geometry: Geometry) -> (Scene, Node) {
        let scene = Scene()
        let node = Node(name: "it", mesh: Mesh(geometry: geometry, material: Material()))
        scene.rootNode.addChildNode(node)
        return (scene, node)
    }

    @Test func hitHasItsComputedValues() throws {
        let geometry = try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: [0, 0, 0, 2, 0, 0, 0, 2, 0]),
                VertexAttribute(.normal, componentCount: 3, values: [0, 0, 1, 1, 0, 0, 0, 1, 0]),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: [0, 0, 1, 0, 0, 1]),
                VertexAttribute(.textureCoordinate(set: 1), componentCount: 2, values: [5, 5, 7, 5, 5, 9]),
            ])
        let (scene, node) = scene(geometry)
        node.position = [10, 0, 0]
        node.scale = [2, 2, 2]
        let hit = try #require(scene.pick(Ray(origin: [11, 2, 7], direction: [0, 0, -2])))
        #expect(hit.node === node && hit.partIndex == 0 && hit.triangleIndex == 0 && !hit.isBackFace)
        #expect(abs(hit.distance - 3.5) < 1e-6)
        #expect(distance(hit.position, [11, 2, 0]) < 1e-6)
        #expect(distance(hit.barycentric, [0.25, 0.25, 0.5]) < 1e-6)
        #expect(hit.geometricNormal == [0, 0, 1])
        #expect(distance(hit.normal, normalize(Vector3(0.25, 0.5, 0.25))) < 1e-6)
        #expect(hit.textureCoordinates.count == 2)
        #expect(distance(hit.textureCoordinates[0], [0.25, 0.5]) < 1e-6)
        #expect(distance(hit.textureCoordinates[1], [5.5, 7]) < 1e-6)
        #expect(hit.geometry === geometry && hit.material === node.material)
    }

    @Test func theNearestComesFirst() {
        let (scene, node) = scene(.sphere(radius: 1, segments: 32))
        let behind = Node(name: "behind", mesh: node.mesh)
        behind.position = [0, 0, -5]
        scene.rootNode.insertChildNode(behind, at: 0)
        let ray = Ray(origin: [0.1, 0.2, 10], direction: [0, 0, -1])
        #expect(scene.pick(ray)?.node === node)
        var options = PickOptions()
        #expect(scene.pickAll(ray).map(\.node.name) == ["it", "behind"])
        options.includesBackFaces = true
        let all = scene.pickAll(ray, options: options)
        #expect(all.map(\.node.name) == ["it", "it", "behind", "behind"])
        #expect(all.map(\.isBackFace) == [false, true, false, true])
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.distance <= $1.distance })
        options.maximumDistance = 12
        #expect(scene.pickAll(ray, options: options).count == 2)
    }

    @Test func invisibleNodesAreNotHit() {
        let (scene, node) = scene(.box())
        let ray = Ray(origin: [0.1, 0.2, 10], direction: [0, 0, -1])
        node.categoryBitMask = 4
        var options = PickOptions()
        options.categoryBitMask = 3
        #expect(scene.pick(ray, options: options) == nil)
        options.categoryBitMask = 4
        #expect(scene.pick(ray, options: options) != nil)
        node.isHidden = true
        #expect(scene.pick(ray) == nil)
        options.includesHidden = true
        #expect(scene.pick(ray, options: options) != nil)
        node.isHidden = false
        node.opacity = 0
        #expect(scene.pick(ray) == nil)
        node.opacity = 1
        node.removeFromParentNode()
        #expect(scene.pick(ray) == nil)
    }

    @Test func backFacesAreHitWhereTheyAreDrawn() {
        let (scene, node) = scene(.plane())
        let fromBehind = Ray(origin: [0.1, 0.1, -3], direction: [0, 0, 1])
        #expect(scene.pick(fromBehind) == nil)
        node.material?.isDoubleSided = true
        #expect(scene.pick(fromBehind)?.isBackFace == true)
        #expect(scene.pick(fromBehind)?.geometricNormal == [0, 0, 1])
        // A mirror turns neither the front to the back nor the normal.
        node.material?.isDoubleSided = false
        node.scale = [-1, 1, 1]
        #expect(scene.pick(fromBehind) == nil)
        let hit = scene.pick(Ray(origin: [0.1, 0.1, 3], direction: [0, 0, -1]))
        #expect(hit?.isBackFace == false && hit?.geometricNormal == [0, 0, 1] && hit?.normal == [0, 0, 1])
    }

    /// Rays against a bumpy sphere: the tree finds exactly what a test of every triangle finds.
    @Test(arguments: [PrimitiveTopology.triangles, .triangleStrip, .triangleFan])
    func hierarchyHitsMatchATestOfEveryTriangle(_ topology: PrimitiveTopology) throws {
        var seed: UInt32 = 99
        func random() -> Float {
            seed = seed &* 1_664_525 &+ 1_013_904_223
            return Float(seed >> 8) / Float(1 << 23) - 1
        }
        let count = topology == .triangles ? 3000 : 400
        let positions = (0..<count).map { _ in Vector3(random(), random(), random()) * (1 + random() * 0.5) }
        let geometry = TestMeshes.geometry(positions, topology: topology)
        let hierarchy = TriangleHierarchy(geometry)
        var met = 0
        for _ in 0..<60 {
            let origin = Vector3(random(), random(), random()) * 4
            let ray = Ray(origin: origin, direction: Vector3(random(), random(), random()) * 0.5 - origin)
            var expected: [Int: Float] = [:]
            geometry.forEachTriangle { triangle, a, b, c in
                if let hit = ray.intersection(triangle: positions[a], positions[b], positions[c]) { expected[triangle] = hit.distance }
            }
            var found: [Int: Float] = [:]
            for hit in hierarchy.all(ray) { found[hit.triangle] = hit.distance }
            #expect(found == expected)
            met += expected.count
        }
        #expect(met > 40)
    }

    @Test func aTreeOfEqualOrBrokenTrianglesStaysShallow() throws {
        var positions: [Vector3] = []
        for index in 0..<5000 {
            positions += [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
            if index % 100 == 0 { positions[positions.count - 1].y = index % 200 == 0 ? .nan : .infinity }
        }
        let hierarchy = TriangleHierarchy(TestMeshes.geometry(positions))
        #expect(hierarchy.triangleCount == 4950)
        #expect(hierarchy.all(Ray(origin: [0.2, 0.2, 1], direction: [0, 0, -1])).count == 4950)
        var depths = [0: 0]
        for (index, node) in hierarchy.tree.enumerated() where node.count == 0 {
            depths[node.first] = depths[index]! + 1
            depths[node.first + 1] = depths[index]! + 1
        }
        #expect(depths.values.max()! < 20)
    }

    @Test func skinnedMeshesAreHitInTheirPose() throws {
        let plane = Geometry.plane(width: 2, height: 2)
        let joints = VertexAttribute(.joints(set: 0), componentCount: 4, values: [Float](repeating: 0, count: 16))
        let weights = VertexAttribute(
            .weights(set: 0), componentCount: 4, values: (0..<16).map { $0 % 4 == 0 ? 1 : 0 })
        let geometry = try Geometry(attributes: plane.attributes + [joints, weights], indices: plane.indices)
        let (scene, node) = scene(geometry)
        let joint = Node()
        scene.rootNode.addChildNode(joint)
        node.skin = Skin(joints: [joint])
        joint.position = [5, 0, -2]
        joint.eulerAngles.y = .pi / 4
        #expect(scene.pick(Ray(origin: [0, 0, 10], direction: [0, 0, -1])) == nil)
        let hit = try #require(scene.pick(Ray(origin: [5.25, 0.5, 10], direction: [0, 0, -1])))
        #expect(abs(hit.position.z + 2.25) < 1e-5)
        #expect(distance(hit.geometricNormal, normalize(Vector3(1, 0, 1))) < 1e-5)
        #expect(distance(hit.normal, normalize(Vector3(1, 0, 1))) < 1e-5)
    }

    @Test func morphedMeshesAreHitInTheirPose() throws {
        let plane = Geometry.plane(width: 2, height: 2)
        let raise = MorphTarget(positionOffsets: (0..<12).map { $0 % 3 == 2 ? 3 : 0 })
        let geometry = try Geometry(attributes: plane.attributes, indices: plane.indices, morphTargets: [raise])
        let (scene, node) = scene(geometry)
        node.morphWeights = [0.5]
        let hit = try #require(scene.pick(Ray(origin: [0.3, 0.2, 10], direction: [0, 0, -1])))
        #expect(abs(hit.position.z - 1.5) < 1e-6)
    }

    @Test func invalidRaysHitNothing() {
        let (scene, node) = scene(.box())
        #expect(scene.pick(Ray(origin: [.nan, 0, 5], direction: [0, 0, -1])) == nil)
        #expect(scene.pick(Ray(origin: [0, 0, 5], direction: [0, 0, 0])) == nil)
        #expect(scene.pick(Ray(origin: [0, 0, 5], direction: [0, .infinity, -1])) == nil)
        node.scale = [0, 1, 1]
        #expect(scene.pick(Ray(origin: [0, 0, 5], direction: [0, 0, -1])) == nil)
        node.scale = [1, 1, 1]
        #expect(scene.pick(Ray(origin: [0, 0, 5], direction: [0, 0, -1])) != nil)
    }

    @Test func pointsAndLinesAreNotHit() {
        let (scene, _) = scene(TestMeshes.geometry([[-1, 0, 0], [1, 0, 0], [0, 1, 0]], topology: .lineLoop))
        #expect(scene.pick(Ray(origin: [0, 0.5, 5], direction: [0, 0, -1])) == nil)
    }

    @Test func hierarchiesAreReleasedWithTheirGeometry() {
        let (scene, node) = scene(.box())
        let ray = Ray(origin: [0, 0, 5], direction: [0, 0, -1])
        _ = scene.pick(ray)
        #expect(scene.pickingTrees.count == 1)
        node.mesh = Mesh(geometry: .sphere(), material: Material())
        #expect(scene.pick(ray) != nil)
        #expect(scene.pickingTrees.count == 1)
        node.mesh = nil
        #expect(scene.pick(ray) == nil)
        #expect(scene.pickingTrees.count == 0)
    }

    @Test(arguments: [Camera(near: 0.1), Camera(projection: .orthographic(scale: 2), near: 0.1, far: 50)])
    func hitTestingUndoesProjection(_ camera: Camera) throws {
        let (scene, node) = scene(.sphere(radius: 1, segments: 64))
        node.position = [0.5, 0.3, 0]
        let world = Matrix4.lookAt(eye: [3, 2, 6], target: [0, 0, 0])
        let size = Vector2(640, 360)
        let point = Vector2(370, 150)
        let hit = try #require(scene.hitTest(point, viewportSize: size, camera: camera, worldFromCamera: world))
        #expect(abs(distance(hit.position, node.position) - 1) < 0.01)
        let projected = try #require(camera.project(hit.position, viewportSize: size, worldFromCamera: world))
        #expect(distance(Vector2(projected.x, projected.y), point) < 0.01)
        #expect(projected.z > 0 && projected.z < 1)
        #expect(scene.hitTest(Vector2(2, 2), viewportSize: size, camera: camera, worldFromCamera: world) == nil)
    }
}
