import Testing
import VitrineMath
import VitrineScene

struct OcclusionBakeTests {
    /// A square grid in the plane y = `height`, facing up or down.
    static func grid(height: Float, side: Float, cells: Int, up: Bool = true) throws -> Geometry {
        var positions: [Float] = []
        var normals: [Float] = []
        var indices: [UInt32] = []
        for row in 0...cells {
            for column in 0...cells {
                positions.append(contentsOf: [
                    (Float(column) / Float(cells) - 0.5) * side, height, (Float(row) / Float(cells) - 0.5) * side,
                ])
                normals.append(contentsOf: [0, up ? 1 : -1, 0])
            }
        }
        let width = UInt32(cells + 1)
        for row in 0..<UInt32(cells) {
            for column in 0..<UInt32(cells) {
                let a = row * width + column
                let quad = [a, a + width, a + 1, a + 1, a + width, a + width + 1]
                indices.append(contentsOf: up ? quad : quad.reversed())
            }
        }
        return try Geometry(
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: positions),
                VertexAttribute(.normal, componentCount: 3, values: normals),
            ], indices: indices)
    }

    static func bake(_ scene: Scene) {
        let bake = OcclusionBake(scene)
        bake.apply(bake.jobs.map { $0.run() })
    }

    static func coefficients(_ mesh: Mesh, vertex: Int) throws -> ArraySlice<Float> {
        let values = try #require(mesh.parts[0].geometry.attribute(.occlusionHarmonics)?.values)
        return values[vertex * 9..<vertex * 9 + 9]
    }

    @Test func isolatedSphereOccludesNothing() throws {
        let mesh = Mesh(geometry: try Self.grid(height: 0, side: 2, cells: 16), material: Material())
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: mesh))
        Self.bake(scene)
        let values = try #require(mesh.parts[0].geometry.attribute(.occlusionHarmonics)?.values)
        #expect(values.allSatisfy { $0 == 0 })
    }

    @Test func ceilingOccludesLightFromAbove() throws {
        let floor = Mesh(geometry: try Self.grid(height: 0, side: 2, cells: 16), material: Material())
        let ceiling = Mesh(geometry: try Self.grid(height: 0.5, side: 2, cells: 16, up: false), material: Material())
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: floor))
        scene.rootNode.addChildNode(Node(mesh: ceiling))
        Self.bake(scene)
        let middle = try Self.coefficients(floor, vertex: 8 * 17 + 8)
        let corner = try Self.coefficients(floor, vertex: 0)
        #expect(OcclusionHarmonics.value(middle, [0, 1, 0]) > 0.85)
        // The ceiling's edge is seen at 27° above the horizon: a flat ray passes.
        #expect(OcclusionHarmonics.value(middle, normalize([1, 0.05, 0])) < 0.35)
        // A corner of the floor has three quarters of its sky free.
        let outwards = OcclusionHarmonics.value(corner, normalize([-1, 1, -1]))
        let inwards = OcclusionHarmonics.value(corner, normalize([1, 1, 1]))
        #expect(outwards < 0.2 && inwards > 0.6)
    }

    @Test func occludedShareIsTheSolidAngle() throws {
        // A wide ceiling at height h hides all of the upper half but its rim: coefficient 0 is the mean over the sphere (mirrored) times √4π.
        let floor = Mesh(geometry: try Self.grid(height: 0, side: 0.4, cells: 4), material: Material())
        let ceiling = Mesh(geometry: try Self.grid(height: 1, side: 2, cells: 8, up: false), material: Material())
        let scene = Scene()
        scene.rootNode.addChildNode(Node(mesh: floor))
        scene.rootNode.addChildNode(Node(mesh: ceiling))
        Self.bake(scene)
        let middle = try Self.coefficients(floor, vertex: 2 * 5 + 2)
        let share = try #require(middle.first) * 0.282_094_8
        // A square seen from a point one half side away, on its axis: solid angle 4 asin(sin²(45°)·…) = 4·asin(1/2)·… = 2π/3.
        #expect(abs(share - (2 * Float.pi / 3) / (2 * Float.pi)) < 0.03)
    }

    @Test func sharedMeshIsOccludedOnlyByItself() throws {
        let shared = Mesh(geometry: try Self.grid(height: 0, side: 2, cells: 8), material: Material())
        let scene = Scene()
        scene.rootNode.addChildNode(Node(name: "low", mesh: shared))
        let high = Node(name: "high", mesh: shared)
        high.position = [0, 0.5, 0]
        scene.rootNode.addChildNode(high)
        Self.bake(scene)
        let values = try #require(shared.parts[0].geometry.attribute(.occlusionHarmonics)?.values)
        #expect(values.allSatisfy { $0 == 0 })
    }

    @Test func aTurnedNodeIsBakedInItsOwnFrame() throws {
        let floor = Mesh(geometry: try Self.grid(height: 0, side: 2, cells: 16), material: Material())
        let ceiling = Mesh(geometry: try Self.grid(height: 0.5, side: 2, cells: 16, up: false), material: Material())
        let scene = Scene()
        let turned = Node()
        turned.eulerAngles = [.pi / 2, 0, 0.3]
        turned.position = [5, 6, 7]
        turned.addChildNode(Node(mesh: floor))
        turned.addChildNode(Node(mesh: ceiling))
        scene.rootNode.addChildNode(turned)
        Self.bake(scene)
        #expect(OcclusionHarmonics.value(try Self.coefficients(floor, vertex: 8 * 17 + 8), [0, 1, 0]) > 0.85)
    }

    @Test func jobsGiveTheSameInAnyOrder() throws {
        let scene = Scene()
        // 33² vertices are one more job than 32²; few directions keep it short.
        let floor = Mesh(geometry: try Self.grid(height: 0, side: 2, cells: 32), material: Material())
        let ceiling = Mesh(geometry: try Self.grid(height: 0.3, side: 3, cells: 4, up: false), material: Material())
        scene.rootNode.addChildNode(Node(mesh: floor))
        scene.rootNode.addChildNode(Node(mesh: ceiling))
        var options = OcclusionBake.Options()
        options.directionCount = 16
        let bake = OcclusionBake(scene, options: options)
        #expect(bake.jobs.count == 3)
        let forward = bake.jobs.map { $0.run() }
        let backward = Array(bake.jobs.reversed().map { $0.run() }.reversed())
        #expect(forward == backward)
        #expect(forward.allSatisfy { job in job.contains { $0 != 0 } })
    }

    @Test func childOfAMovedNodeIsOccludedOnlyByItself() throws {
        let floor = Mesh(geometry: try Self.grid(height: 0, side: 2, cells: 4), material: Material())
        let lid = Mesh(geometry: try Self.grid(height: 0.5, side: 2, cells: 4, up: false), material: Material())
        let scene = Scene()
        let hinge = Node()
        let arm = Node()
        scene.rootNode.addChildNode(Node(mesh: floor))
        scene.rootNode.addChildNode(hinge)
        hinge.addChildNode(arm)
        arm.addChildNode(Node(mesh: lid))
        let track = try #require(AnimationTrack(node: hinge, target: .translation, interpolation: .step, times: [0], values: [0, 1, 0]))
        scene.animations = [AnimationClip(tracks: [track])]
        Self.bake(scene)
        for mesh in [floor, lid] {
            let values = try #require(mesh.parts[0].geometry.attribute(.occlusionHarmonics)?.values)
            #expect(values.allSatisfy { $0 == 0 })
        }
    }
}
