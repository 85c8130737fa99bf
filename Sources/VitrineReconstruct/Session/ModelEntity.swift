import VitrineMath
import VitrineScene
import VitrineTexture
import VitrineVision

extension PhotogrammetrySession {
    /// A finished model in memory: a textured mesh in the model's frame.
    public struct ModelEntity: Sendable {
        package let mesh: TexturedMesh
        /// Maps the mesh to the world: the `transform` of the request's geometry.
        public let transform: Transform
        /// The file's name without extension; `model` for a model in memory.
        public let name: String

        /// Creates a scene of one node with one material.
        ///
        /// - Throws: An error if the mesh is empty.
        public func makeScene() throws -> Scene {
            let scene = Scene(name: name)
            let node = Node(name: name)
            node.mesh = Mesh(name: name, geometry: try makeGeometry(), material: try makeMaterial())
            node.transform = transform.matrix
            scene.rootNode.addChildNode(node)
            return scene
        }

        private func makeGeometry() throws -> Geometry {
            var attributes = [
                VertexAttribute(.position, componentCount: 3, values: mesh.positions.flatMap { [$0.x, $0.y, $0.z] }),
                VertexAttribute(.normal, componentCount: 3, values: mesh.normals.flatMap { [$0.x, $0.y, $0.z] }),
                VertexAttribute(.textureCoordinate(set: 0), componentCount: 2, values: mesh.textureCoordinates.flatMap { [$0.x, $0.y] }),
            ]
            if let tangents = mesh.tangents {
                attributes.append(VertexAttribute(.tangent, componentCount: 4, values: tangents.flatMap { [$0.x, $0.y, $0.z, $0.w] }))
            }
            return try Geometry(attributes: attributes, indices: mesh.triangles.flatMap { [$0.x, $0.y, $0.z] })
        }

        private func makeMaterial() throws -> Material {
            let material = Material(name: name, roughness: 1)
            let sampler = Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge)
            func map(_ image: Image?, _ kind: String) -> TextureMap? {
                image.map { TextureMap(Texture(name: "\(name)_\(kind)", content: .image($0), sampler: sampler)) }
            }
            material.baseColor = ColorSlot(Vector4(1, 1, 1, 1), map: map(mesh.baseColor.image, "diffuse"))
            if let normal = mesh.normalMap { material.normal = NormalSlot(map: map(normal.image, "normal")) }
            if let occlusion = mesh.occlusion { material.occlusion = ScalarSlot(1, map: map(occlusion.image, "occlusion"), channel: .red) }
            if let roughness = mesh.roughness { material.roughness = ScalarSlot(1, map: map(roughness.image, "roughness"), channel: .red) }
            if let displacement = mesh.displacement {
                material.displacement = DisplacementSlot(
                    map: map(displacement.heights.image, "displacement"), channel: .red,
                    scale: displacement.range.upperBound - displacement.range.lowerBound, bias: displacement.range.lowerBound)
            }
            return material
        }
    }
}

extension Plane where Value == UInt8 {
    /// The values as an opaque greyscale image.
    var image: Image? {
        let bytes = [UInt8](unsafeUninitializedCapacity: values.count * 4) { target, initialized in
            for (index, value) in values.enumerated() {
                for channel in 0..<3 { target[index &* 4 &+ channel] = value }
                target[index &* 4 &+ 3] = 255
            }
            initialized = values.count * 4
        }
        return try? Image(width: width, height: height, format: .rgba8, bytes: bytes)
    }
}

extension Plane where Value == UInt16 {
    /// The values as an opaque greyscale image, 16 bits.
    var image: Image? {
        let bytes = [UInt8](unsafeUninitializedCapacity: values.count * 8) { target, initialized in
            for (index, value) in values.enumerated() {
                for channel in 0..<4 {
                    let word = channel < 3 ? value : .max
                    target[index &* 8 &+ channel &* 2] = UInt8(truncatingIfNeeded: word)
                    target[index &* 8 &+ channel &* 2 &+ 1] = UInt8(truncatingIfNeeded: word >> 8)
                }
            }
            initialized = values.count * 8
        }
        return try? Image(width: width, height: height, format: .rgba16, bytes: bytes)
    }
}

extension PhotogrammetrySession.PointCloud {
    /// Creates a scene of one node with the points.
    public func makeScene(name: String = "points") throws -> Scene {
        // Scenes hold linear colours.
        let linear = (0...255).map { Color(sRGB: UInt32($0) << 16).linear.x }
        let geometry = try Geometry(
            topology: .points,
            attributes: [
                VertexAttribute(.position, componentCount: 3, values: points.flatMap { [$0.position.x, $0.position.y, $0.position.z] }),
                VertexAttribute(
                    .color(set: 0), componentCount: 3,
                    values: points.flatMap { [linear[Int($0.color.x)], linear[Int($0.color.y)], linear[Int($0.color.z)]] }),
            ])
        let scene = Scene(name: name)
        let node = Node(name: name)
        let material = Material(name: name)
        material.lightingModel = .constant
        node.mesh = Mesh(name: name, geometry: geometry, material: material)
        scene.rootNode.addChildNode(node)
        return scene
    }
}
