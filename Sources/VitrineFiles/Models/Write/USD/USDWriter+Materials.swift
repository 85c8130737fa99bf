import VitrineMath
import VitrineScene

extension USDWriter {
    /// Adds a material with its shaders.
    ///
    /// - Returns: The path of the material.
    mutating func add(_ material: Material, below scope: Int) throws(ModelFileError) -> String {
        let prim = layer.add("Material", named: material.name, below: scope)
        var network = USDMaterialNetwork(prim: prim, location: "material \"\(material.name)\"")
        let surface = layer.add("Shader", named: "Surface", below: prim)
        network.surface = surface
        layer.prims[prim].connect("outputs:surface", "token", to: layer.prims[surface].path + ".outputs:surface")
        layer.prims[surface].set("info:id", "token", .token("UsdPreviewSurface"), isUniform: true)
        try addColours(of: material, network)
        try addScalar("metallic", "Metallic", material.metalness, network)
        try addScalar("roughness", "Roughness", material.roughness, network)
        try addNormal(material.normal, network)
        try addOcclusion(material.occlusion, network)
        try addClearcoat(material.clearcoat, network)
        try addDisplacement(material.displacement, network)
        if material.ior != 1.5, material.lightingModel != .constant { set(network, "ior", "float", .float(material.ior)) }
        report(material, network)
        layer.prims[surface].connect("outputs:surface", "token", to: nil)
        return layer.prims[prim].path
    }

    private mutating func addColours(of material: Material, _ network: USDMaterialNetwork) throws(ModelFileError) {
        let base = Vector4(material.baseColor.factor.xyz * material.baseColor.intensity, material.baseColor.factor.w)
        let emission = material.emission.factor.xyz * material.emission.intensity
        if material.lightingModel == .constant {
            // No light is reflected: an index of refraction of 1 has no highlight either.
            warnings.append(ModelWarning(location: network.location, message: "constant lighting: written as emission"))
            set(network, "diffuseColor", "color3f", .float3(0, 0, 0))
            set(network, "ior", "float", .float(1))
            try addColour("emissiveColor", "Emission", base, material.baseColor.map, network)
        } else {
            if readsColours(material) {
                addVertexColours(base, network)
            } else {
                try addColour("diffuseColor", "BaseColor", base, material.baseColor.map, network)
            }
            if emission != Vector3(repeating: 0) {
                try addColour("emissiveColor", "Emission", Vector4(emission, 1), material.emission.map, network)
            }
        }
        try addOpacity(of: material, base.w, network)
    }

    private mutating func addOpacity(of material: Material, _ factor: Float, _ network: USDMaterialNetwork) throws(ModelFileError) {
        switch material.alphaMode {
        case .opaque: return
        case .mask(let cutoff): set(network, "opacityThreshold", "float", .float(max(cutoff, 1e-4)))
        case .blend: break
        }
        let factor = factor * material.opacity.factor * material.opacity.intensity
        if let map = material.opacity.map {
            if material.baseColor.map != nil {
                reportOmission(of: "the base colour's alpha, beside a map of opacity", at: network.location)
            }
            let texture = try addTexture(
                "Opacity", map, isColour: false, scale: Vector4(repeating: factor), bias: Vector4(repeating: 0), network)
            return output(Self.output(material.opacity.channel), of: texture, to: "opacity", "float", network)
        }
        guard let map = material.baseColor.map else { return set(network, "opacity", "float", .float(clamp(factor, 0, 1))) }
        let scale = Vector4(1, 1, 1, factor)
        let texture = try addTexture("Opacity", map, isColour: true, scale: scale, bias: Vector4(repeating: 0), network)
        output("a", of: texture, to: "opacity", "float", network)
    }

    /// Returns whether vertex colours, times the factor, can replace the base colour: UsdPreviewSurface cannot multiply them with a texture.
    func readsColours(_ material: Material) -> Bool {
        guard material.baseColor.map == nil, material.lightingModel != .constant else { return false }
        let use = usesOfMaterials[contents.index(of: material)]
        return use.isUsed && use.hasColoursEverywhere
    }

    private mutating func addVertexColours(_ factor: Vector4, _ network: USDMaterialNetwork) {
        let prim = layer.add("Shader", named: "VertexColors", below: network.prim)
        layer.prims[prim].set("info:id", "token", .token("UsdPrimvarReader_float3"), isUniform: true)
        layer.prims[prim].set("inputs:fallback", "float3", .float3(factor.x, factor.y, factor.z))
        layer.prims[prim].set("inputs:varname", "string", .string("displayColor"))
        output("result", of: prim, to: "diffuseColor", "color3f", network)
    }

    /// Reports the properties for which UsdPreviewSurface has no input.
    private mutating func report(_ material: Material, _ network: USDMaterialNetwork) {
        for loss in material.losses(except: [.ior]) { reportOmission(of: loss, at: network.location) }
    }

    private mutating func addColour(
        _ input: String, _ name: String, _ factor: Vector4, _ map: TextureMap?, _ network: USDMaterialNetwork
    ) throws(ModelFileError) {
        guard let map else { return set(network, input, "color3f", .float3(factor.x, factor.y, factor.z)) }
        let texture = try addTexture(name, map, isColour: true, scale: Vector4(factor.xyz, 1), bias: Vector4(repeating: 0), network)
        output("rgb", of: texture, to: input, "color3f", network)
    }

    private mutating func addScalar(
        _ input: String, _ name: String, _ slot: ScalarSlot, _ network: USDMaterialNetwork
    ) throws(ModelFileError) {
        let factor = slot.factor * slot.intensity
        guard let map = slot.map else { return set(network, input, "float", .float(factor)) }
        let texture = try addTexture(name, map, isColour: false, scale: Vector4(repeating: factor), bias: Vector4(repeating: 0), network)
        output(Self.output(slot.channel), of: texture, to: input, "float", network)
    }

    private mutating func addNormal(_ slot: NormalSlot, _ network: USDMaterialNetwork) throws(ModelFileError) {
        guard let map = slot.map else { return }
        if slot.scale != 1 { reportOmission(of: "the normal map's scale \(slot.scale)", at: network.location) }
        // From 0…1 to −1…1, as the validator requires.
        let texture = try addTexture("Normal", map, isColour: false, scale: Vector4(2, 2, 2, 1), bias: Vector4(-1, -1, -1, 0), network)
        output("rgb", of: texture, to: "normal", "normal3f", network)
    }

    /// Adds occlusion, with 1 where the map is not used.
    private mutating func addOcclusion(_ slot: ScalarSlot, _ network: USDMaterialNetwork) throws(ModelFileError) {
        guard let map = slot.map else { return }
        let (scale, bias) = (Vector4(repeating: slot.intensity), Vector4(repeating: 1 - slot.intensity))
        let texture = try addTexture("Occlusion", map, isColour: false, scale: scale, bias: bias, network)
        output(Self.output(slot.channel), of: texture, to: "occlusion", "float", network)
    }

    private mutating func addClearcoat(_ coat: Clearcoat, _ network: USDMaterialNetwork) throws(ModelFileError) {
        guard coat.factor.factor * coat.factor.intensity > 0 else { return }
        try addScalar("clearcoat", "Clearcoat", coat.factor, network)
        try addScalar("clearcoatRoughness", "ClearcoatRoughness", coat.roughness, network)
        if coat.normal.map != nil { reportOmission(of: "the clearcoat's normals", at: network.location) }
    }

    private mutating func addDisplacement(_ slot: DisplacementSlot, _ network: USDMaterialNetwork) throws(ModelFileError) {
        guard let map = slot.map else { return }
        let (scale, bias) = (Vector4(repeating: slot.scale), Vector4(repeating: slot.bias))
        let texture = try addTexture("Displacement", map, isColour: false, scale: scale, bias: bias, network)
        output(Self.output(slot.channel), of: texture, to: "displacement", "float", network)
    }

    // MARK: Shaders

    private static func output(_ channel: TextureChannel) -> String {
        switch channel {
        case .red: "r"
        case .green: "g"
        case .blue: "b"
        case .alpha: "a"
        }
    }

    private mutating func set(_ network: USDMaterialNetwork, _ input: String, _ type: String, _ value: USDValue) {
        layer.prims[network.surface].set("inputs:\(input)", type, value)
    }

    /// Declares an output of a texture and connects the surface's input to it.
    private mutating func output(_ output: String, of texture: Int, to input: String, _ type: String, _ network: USDMaterialNetwork) {
        layer.prims[texture].connect("outputs:\(output)", output == "rgb" || output == "result" ? "float3" : "float", to: nil)
        layer.prims[network.surface].connect("inputs:\(input)", type, to: "\(layer.prims[texture].path).outputs:\(output)")
    }

    private mutating func addTexture(
        _ name: String, _ map: TextureMap, isColour: Bool, scale: Vector4, bias: Vector4, _ network: USDMaterialNetwork
    ) throws(ModelFileError) -> Int {
        let image = try pool.image(map.texture)
        let coordinates = addCoordinates(name, map, network)
        let prim = layer.add("Shader", named: name, below: network.prim)
        layer.prims[prim].set("info:id", "token", .token("UsdUVTexture"), isUniform: true)
        if bias != Vector4(repeating: 0) { layer.prims[prim].set("inputs:bias", "float4", .float4(bias.x, bias.y, bias.z, bias.w)) }
        layer.prims[prim].set("inputs:file", "asset", .asset(fileName(ofImage: image)))
        if scale != Vector4(repeating: 1) { layer.prims[prim].set("inputs:scale", "float4", .float4(scale.x, scale.y, scale.z, scale.w)) }
        layer.prims[prim].set("inputs:sourceColorSpace", "token", .token(isColour ? "sRGB" : "raw"))
        layer.prims[prim].connect("inputs:st", "float2", to: coordinates)
        layer.prims[prim].set("inputs:wrapS", "token", .token(Self.wrap(map.texture.sampler.wrapS)))
        layer.prims[prim].set("inputs:wrapT", "token", .token(Self.wrap(map.texture.sampler.wrapT)))
        return prim
    }

    private static func wrap(_ mode: WrapMode) -> String {
        switch mode {
        case .repeat: "repeat"
        case .clampToEdge: "clamp"
        case .mirroredRepeat: "mirror"
        }
    }

    /// Returns the output with the texture coordinates: one reader per set, with a transform if the map has one.
    private mutating func addCoordinates(_ name: String, _ map: TextureMap, _ network: USDMaterialNetwork) -> String {
        let reader = "Coordinates_\(USDWriter.primvar(map.set))"
        let path = "\(layer.prims[network.prim].path)/\(reader)"
        if !layer.prims[network.prim].children.contains(where: { layer.prims[$0].path == path }) {
            let prim = layer.add("Shader", named: reader, below: network.prim)
            layer.prims[prim].set("info:id", "token", .token("UsdPrimvarReader_float2"), isUniform: true)
            layer.prims[prim].set("inputs:varname", "string", .string(USDWriter.primvar(map.set)))
            layer.prims[prim].connect("outputs:result", "float2", to: nil)
        }
        guard map.transform != .identity else { return "\(path).outputs:result" }
        // The same transform for coordinates whose second component points up: (u, 1 − v).
        let transform = map.transform
        let (s, c) = (sin(transform.rotation.radians), cos(transform.rotation.radians))
        let translation = Vector2(transform.offset.x + transform.scale.y * s, 1 - transform.offset.y - transform.scale.y * c)
        let prim = layer.add("Shader", named: "\(name)Transform", below: network.prim)
        layer.prims[prim].set("info:id", "token", .token("UsdTransform2d"), isUniform: true)
        layer.prims[prim].connect("inputs:in", "float2", to: "\(path).outputs:result")
        layer.prims[prim].set("inputs:rotation", "float", .float(transform.rotation.degrees))
        layer.prims[prim].set("inputs:scale", "float2", .float2(transform.scale.x, transform.scale.y))
        layer.prims[prim].set("inputs:translation", "float2", .float2(translation.x, translation.y))
        layer.prims[prim].connect("outputs:result", "float2", to: nil)
        return "\(layer.prims[prim].path).outputs:result"
    }
}

/// The prims of the current material.
struct USDMaterialNetwork {
    let prim: Int
    /// The position in warnings.
    let location: String
    var surface = 0
}
