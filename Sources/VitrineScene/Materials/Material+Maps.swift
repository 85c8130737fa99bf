extension Material {
    /// Calls `change` for every slot's map, in a fixed order; it may replace or remove the map. The textures of a surface
    /// function stay.
    public func changeMaps(_ change: (inout TextureMap?) -> Void) {
        change(&baseColor.map)
        change(&metalness.map)
        change(&roughness.map)
        change(&normal.map)
        change(&occlusion.map)
        change(&emission.map)
        change(&clearcoat.factor.map)
        change(&clearcoat.roughness.map)
        change(&clearcoat.normal.map)
        change(&displacement.map)
        change(&opacity.map)
        change(&specular.factor.map)
        change(&specular.color.map)
        change(&sheen.color.map)
        change(&sheen.roughness.map)
        change(&transmission.factor.map)
        change(&volume.thickness.map)
        change(&iridescence.factor.map)
        change(&iridescence.thicknessMap)
        change(&anisotropy.map)
        change(&highlight.color.map)
    }

    /// The maps of all slots that have one, in the order of `changeMaps`.
    public var textureMaps: [TextureMap] {
        var found: [TextureMap] = []
        changeMaps { map in if let map { found.append(map) } }
        return found
    }

    /// Every texture in use, including those of a surface function, in a fixed order, each once.
    public var textures: [Texture] {
        var found: [Texture] = []
        for map in textureMaps + (surfaceFunction?.textures.map { $0.map } ?? []) where !found.contains(where: { $0 === map.texture }) {
            found.append(map.texture)
        }
        return found
    }

    /// Removes `texture` from every slot that uses it; the slots keep their factors.
    package func removeMaps(of texture: Texture) {
        changeMaps { map in if map?.texture === texture { map = nil } }
    }
}
