extension Material {
    /// Returns a new material with the same values. The textures are shared with the original.
    public func copy() -> Material {
        let copy = Material(name: name)
        (copy.lightingModel, copy.alphaMode) = (lightingModel, alphaMode)
        (copy.baseColor, copy.metalness, copy.roughness) = (baseColor, metalness, roughness)
        (copy.normal, copy.occlusion, copy.emission, copy.opacity) = (normal, occlusion, emission, opacity)
        (copy.clearcoat, copy.ior, copy.specular, copy.sheen) = (clearcoat, ior, specular, sheen)
        (copy.transmission, copy.volume, copy.iridescence, copy.anisotropy) = (transmission, volume, iridescence, anisotropy)
        (copy.highlight, copy.surfaceFunction, copy.displacement) = (highlight, surfaceFunction, displacement)
        (copy.isShadowReceiver, copy.isDoubleSided) = (isShadowReceiver, isDoubleSided)
        return copy
    }
}
