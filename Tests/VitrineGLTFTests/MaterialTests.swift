import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene

struct MaterialTests {
    /// The first bytes of a PNG.
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A triangle with texture coordinates and one material.
    private func builder(_ material: [String: Any], images: Int = 1, extra: [String: Any] = [:]) -> ModelBuilder {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 0, 0, 1], "VEC2")
        builder.setPrimitive(["material": 0, "attributes": ["POSITION": 0, "TEXCOORD_0": uv, "TEXCOORD_1": uv]])
        builder.json["materials"] = [material]
        builder.json["images"] = (0..<images).map { ["bufferView": builder.view(Self.png + [UInt8($0)]), "mimeType": "image/png"] }
        builder.json["textures"] = (0..<images).map { ["source": $0] }
        builder.json.merge(extra) { $1 }
        return builder
    }

    private func material(_ json: [String: Any], images: Int = 1, extra: [String: Any] = [:]) throws -> Material {
        try #require(try builder(json, images: images, extra: extra).read().scene.rootNode.childNodes[0].material)
    }

    @Test func defaults() throws {
        for material in [try material([:]), try #require(try ModelBuilder.triangle().read().scene.rootNode.childNodes[0].material)] {
            #expect(material.baseColor.factor == Vector4(1, 1, 1, 1))
            #expect(material.metalness.factor == 1 && material.roughness.factor == 1)
            #expect(material.emission.factor == Vector4(0, 0, 0, 1))
            #expect(material.alphaMode == .opaque && !material.isDoubleSided && material.lightingModel == .physicallyBased)
            #expect(material.textures.isEmpty && material.clearcoat.factor.factor == 0)
        }
    }

    @Test func metallicRoughness() throws {
        let material = try material([
            "name": "Paint", "doubleSided": true,
            "pbrMetallicRoughness": [
                "baseColorFactor": [0.5, 0.25, 0, 1], "metallicFactor": 0.25, "roughnessFactor": 0.75,
                "metallicRoughnessTexture": ["index": 0, "texCoord": 1],
            ],
        ])
        #expect(material.name == "Paint" && material.isDoubleSided)
        #expect(material.baseColor.factor == Vector4(0.5, 0.25, 0, 1))
        #expect(material.metalness.factor == 0.25 && material.metalness.channel == .blue)
        #expect(material.roughness.factor == 0.75 && material.roughness.channel == .green)
        #expect(material.metalness.map?.texture === material.roughness.map?.texture)
        #expect(material.roughness.map?.set == 1)
    }

    @Test func normalOcclusionEmission() throws {
        let material = try material(
            [
                "normalTexture": ["index": 0, "scale": 0.5], "occlusionTexture": ["index": 1, "strength": 0.25],
                "emissiveTexture": ["index": 2], "emissiveFactor": [1, 0.5, 0],
                "extensions": ["KHR_materials_emissive_strength": ["emissiveStrength": 4]],
            ], images: 3, extra: ["extensionsUsed": ["KHR_materials_emissive_strength"]])
        #expect(material.normal.scale == 0.5 && material.normal.map != nil)
        #expect(material.occlusion.intensity == 0.25 && material.occlusion.factor == 1 && material.occlusion.channel == .red)
        #expect(material.emission.factor == Vector4(4, 2, 0, 1) && material.emission.map != nil)
        #expect(material.textures.count == 3)
    }

    @Test func alpha() throws {
        #expect(try material(["alphaMode": "MASK"]).alphaMode == .mask(cutoff: 0.5))
        #expect(try material(["alphaMode": "MASK", "alphaCutoff": 0.25]).alphaMode == .mask(cutoff: 0.25))
        #expect(try material(["alphaMode": "BLEND"]).alphaMode == .blend)
        #expect(try builder(["alphaMode": "DIM"]).refusal().location == .property("/materials/0/alphaMode"))
    }

    @Test func factorsOutsideAreMovedInside() throws {
        let builder = builder(["pbrMetallicRoughness": ["metallicFactor": 2, "baseColorFactor": [1, -1, 0, 1]]])
        let asset = try builder.read()
        #expect(asset.materials[0].metalness.factor == 1)
        #expect(asset.materials[0].baseColor.factor.y == 0)
        #expect(asset.warns("/materials/0/pbrMetallicRoughness/metallicFactor", "is out of range"))
    }

    @Test func unlitAndClearcoat() throws {
        let used = ["KHR_materials_unlit", "KHR_materials_clearcoat"]
        #expect(try material(["extensions": ["KHR_materials_unlit": [:]]], extra: ["extensionsUsed": used]).lightingModel == .constant)
        let clearcoat: [String: Any] = [
            "clearcoatFactor": 0.5, "clearcoatTexture": ["index": 0], "clearcoatRoughnessFactor": 0.25,
            "clearcoatRoughnessTexture": ["index": 1], "clearcoatNormalTexture": ["index": 2, "scale": 2],
        ]
        let coat = try material(["extensions": ["KHR_materials_clearcoat": clearcoat]], images: 3, extra: ["extensionsUsed": used])
            .clearcoat
        #expect(coat.factor.factor == 0.5 && coat.factor.channel == .red && coat.factor.map != nil)
        #expect(coat.roughness.factor == 0.25 && coat.roughness.channel == .green && coat.roughness.map != nil)
        #expect(coat.normal.scale == 2 && coat.normal.map != nil)
    }

    @Test func textureTransform() throws {
        let transform: [String: Any] = ["offset": [0.5, 0.25], "rotation": 1.5707963, "scale": [2, 3], "texCoord": 1]
        let info: [String: Any] = ["index": 0, "texCoord": 0, "extensions": ["KHR_texture_transform": transform]]
        let map = try #require(
            try material(["pbrMetallicRoughness": ["baseColorTexture": info]], extra: ["extensionsUsed": ["KHR_texture_transform"]])
                .baseColor.map)
        #expect(map.set == 1)
        #expect(map.transform.offset == Vector2(0.5, 0.25) && map.transform.scale == Vector2(2, 3))
        // Scaled, then turned by a quarter (u, v) → (v, −u), then moved.
        let (u, v) = map.transform.rows
        #expect(length(u - Vector3(0, 3, 0.5)) < 1e-6 && length(v - Vector3(-2, 0, 0.25)) < 1e-6)
    }

    @Test func samplers() throws {
        let samplers: [[String: Any]] = [
            ["magFilter": 9728, "minFilter": 9728, "wrapS": 33071, "wrapT": 33648], ["minFilter": 9984], ["minFilter": 9985],
            ["minFilter": 9986],
            ["minFilter": 9987], ["minFilter": 9729], [:],
        ]
        func sampler(_ index: Int) throws -> Sampler {
            let textures = [["source": 0, "sampler": index]]
            let material = try material(["emissiveTexture": ["index": 0]], extra: ["samplers": samplers, "textures": textures])
            return try #require(material.emission.map?.texture.sampler)
        }
        let first = try sampler(0)
        #expect(first == Sampler(wrapS: .clampToEdge, wrapT: .mirroredRepeat, magnification: .nearest, minification: .nearest, mip: nil))
        #expect(try sampler(1) == Sampler(minification: .nearest, mip: .nearest))
        #expect(try sampler(2) == Sampler(minification: .linear, mip: .nearest))
        #expect(try sampler(3) == Sampler(minification: .nearest, mip: .linear))
        #expect(try sampler(4) == Sampler())
        #expect(try sampler(5) == Sampler(mip: nil))
        #expect(try sampler(6) == Sampler())
    }

    @Test func encodedImages() throws {
        let asset = try builder(["emissiveTexture": ["index": 1], "normalTexture": ["index": 0]], images: 2).read()
        #expect(asset.textures.map(\.imageIndex) == [0, 1])
        guard case .encoded(let bytes) = asset.textures[1].texture.content else {
            Issue.record("the image is not encoded")
            return
        }
        #expect(bytes == Self.png + [1])
        #expect(asset.textures[1].mimeType == "image/png" && asset.textures[1].location == "/images/1")
    }

    /// Two textures of one image and one sampler are uploaded once.
    @Test func equalTexturesAreShared() throws {
        let asset = try builder(
            ["emissiveTexture": ["index": 0], "occlusionTexture": ["index": 1]], extra: ["textures": [["source": 0], ["source": 0]]]
        ).read()
        #expect(asset.textures.count == 1)
        #expect(asset.materials[0].emission.map?.texture === asset.materials[0].occlusion.map?.texture)
    }

    @Test func webP() throws {
        let textures = [["source": 0, "extensions": ["EXT_texture_webp": ["source": 1]]] as [String: Any]]
        let asset = try builder(
            ["emissiveTexture": ["index": 0]], images: 2, extra: ["textures": textures, "extensionsUsed": ["EXT_texture_webp"]]
        ).read()
        #expect(asset.textures.map(\.imageIndex) == [1])
    }

    @Test func missingImagesAreReported() throws {
        let asset = try builder(["emissiveTexture": ["index": 0]], extra: ["images": [["uri": "../x.png"]]]).read()
        #expect(asset.warns("/images/0/uri", "leaves the folder of the model"))
        #expect(asset.materials[0].emission.map == nil)
        let both = builder([:], extra: ["images": [["uri": "x.png", "bufferView": 0]]])
        #expect(try both.refusal().location == .property("/images/0"))
    }

    @Test func missingTextureCoordinatesAreReported() throws {
        let asset = try builder(["emissiveTexture": ["index": 0, "texCoord": 2]]).read()
        #expect(asset.warns("/meshes/0/primitives/0", "TEXCOORD_2, which is missing"))
    }

    @Test func unknownMembersAreReported() throws {
        let asset = try builder(["emisiveFactor": [1, 1, 1], "extensions": ["KHR_lights_punctual": [:]], "extras": ["anything": 1]]).read()
        #expect(asset.warns("/materials/0/emisiveFactor", "is not a property of glTF"))
        #expect(asset.warns("/materials/0/extensions/KHR_lights_punctual", "not declared in extensionsUsed"))
        #expect(asset.warns("/materials/0/extensions/KHR_lights_punctual", "has no effect here"))
        #expect(!asset.warnings.contains { $0.location.contains("extras") })
    }
}
