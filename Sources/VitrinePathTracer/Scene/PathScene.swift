import VitrineGeometry
import VitrineMath
import VitrineScene

/// A snapshot of a scene for path tracing: immutable, for any number of threads. Later changes of the scene have no effect.
///
/// Unchecked Sendable: all stored properties are constants, and nothing writes the memory of `contents` after `init`; `owners` keeps it allocated
/// as long as the scene.
package final class PathScene: @unchecked Sendable {
    /// Everything that threads read, without reference counting.
    struct Contents: BitwiseCopyable {
        let positions, normals: UnsafePointer<Vector3>
        let tangents, coordinates, colors: UnsafePointer<Vector4>
        let triangles: UnsafePointer<SIMD4<UInt32>>
        let instances: UnsafePointer<PathInstance>
        let materials: UnsafePointer<PathMaterial>
        let textures: UnsafePointer<TexelSource>
        let lights: UnsafePointer<PathLight>
        let lightCount: Int
        /// Whether lobes can find a light.
        let hasLightShapes: Bool
        let environment: EnvironmentLighting
        /// The emitting triangles; nil if no surface emits light.
        var emitters: UnsafePointer<EmissiveTriangles>?
        let energy: EnergyReader
        /// The radius of the box around all triangles.
        let radius: Float
    }

    let contents: Contents
    let hierarchy: WideHierarchy
    let background: PathBackground
    package let triangleCount: Int
    /// The contents of the scene that are not rendered.
    package let warnings: [String]
    private let owners: [AnyObject]

    /// Converts a scene.
    ///
    /// - Throws: `PathTracerError` if the scene has something that cannot be path traced.
    package init(_ scene: Scene) throws(PathTracerError) {
        var flat = SceneFlattener()
        try flat.add(scene)
        let environment = try EnvironmentTables(scene.environment, ambient: flat.ambient)
        let (positions, normals, tangents) = (Storage(flat.positions), Storage(flat.normals), Storage(flat.tangents))
        let (coordinates, colors, triangles) = (Storage(flat.coordinates), Storage(flat.colors), Storage(flat.triangles))
        let (instances, materials, lights) = (Storage(flat.instances), Storage(flat.materials), Storage(flat.lights))
        let (textures, energy) = (Storage(flat.textures.sources), Storage(flat.tables.values))
        let (p, t) = (positions.pointer, triangles.pointer)
        hierarchy = WideHierarchy(
            count: flat.triangles.count,
            corners: { triangle in
                let corners = t[triangle]
                return (p[Int(corners.x)], p[Int(corners.y)], p[Int(corners.z)])
            },
            isFiltered: { triangle in
                let instance = instances.pointer[Int(t[triangle].w)]
                return materials.pointer[Int(instance.material)].isFiltered || instance.opacity < 1 || !instance.castsShadow
            })
        let size = hierarchy.nodeCount > 0 ? hierarchy.bounds.maximum - hierarchy.bounds.minimum : Vector3(repeating: 1)
        var contents = Contents(
            positions: positions.pointer, normals: normals.pointer, tangents: tangents.pointer, coordinates: coordinates.pointer,
            colors: colors.pointer, triangles: triangles.pointer, instances: instances.pointer, materials: materials.pointer,
            textures: textures.pointer, lights: lights.pointer, lightCount: lights.count,
            hasLightShapes: flat.lights.contains { $0.isSampledByLobes }, environment: environment.lighting,
            energy: EnergyReader(values: energy.pointer, isAnisotropic: flat.materials.contains { $0.hasAnisotropy }),
            radius: length(size) / 2)
        let emissive = EmissiveTable(
            flat.triangles, flat.positions, environment: environment.meanLuminance * .pi,
            emits: { [contents] in contents.emits($0) }, emission: { [contents] in contents.emission(t[$0], $1, $2) })
        let emitters = Storage(emissive.triangles.map { [$0] } ?? [])
        if emitters.count > 0 { contents.emitters = emitters.pointer }
        self.contents = contents
        triangleCount = flat.triangles.count
        background = PathBackground(scene.environment)
        warnings = flat.warnings
        let own: [AnyObject] = [
            environment, positions, normals, tangents, coordinates, colors, triangles, instances, materials, lights, textures, energy,
            emissive, emitters,
        ]
        owners = own + flat.textures.owners
    }
}

extension PathMaterial {
    /// Whether not every ray that hits a triangle stops there.
    var isFiltered: Bool { alphaMode != .opaque || !isDoubleSided || hasTransmission || model == .shadowReceiver }
}

extension PathScene.Contents {
    @inline(__always) func texel(_ map: MapReference, _ uv: Vector4) -> Vector4 {
        guard map.texture >= 0 else { return Vector4(repeating: 1) }
        let p = map.set == 1 ? Vector3(uv.z, uv.w, 1) : Vector3(uv.x, uv.y, 1)
        return textures[Int(map.texture)].sample(Vector2(dot(map.u, p), dot(map.v, p)))
    }

    @inline(__always) func number(_ factors: Vector4, _ map: MapReference, _ uv: Vector4) -> Float {
        guard map.texture >= 0 else { return factors.x }
        return (texel(map, uv) * factors).sum()
    }

    @inline(__always) func interpolated(_ values: UnsafePointer<Vector4>, _ t: SIMD4<UInt32>, _ u: Float, _ v: Float) -> Vector4 {
        values[Int(t.x)] * (1 - u - v) + values[Int(t.y)] * u + values[Int(t.z)] * v
    }

    @inline(__always) func interpolated(_ values: UnsafePointer<Vector3>, _ t: SIMD4<UInt32>, _ u: Float, _ v: Float) -> Vector3 {
        values[Int(t.x)] * (1 - u - v) + values[Int(t.y)] * u + values[Int(t.z)] * v
    }

    /// Normal of the triangle's front, of any length.
    @inline(__always) func frontNormal(_ t: SIMD4<UInt32>) -> Vector3 {
        let a = positions[Int(t.x)]
        return cross(positions[Int(t.y)] - a, positions[Int(t.z)] - a)
    }

    /// Alpha at a point of a triangle, after the alpha mode: 0 where a mask cuts out.
    func alpha(_ t: SIMD4<UInt32>, _ u: Float, _ v: Float) -> Float {
        let instance = instances[Int(t.w)]
        let material = materials + Int(instance.material)
        var alpha: Float = 1
        if material.pointee.alphaMode != .opaque || material.pointee.model == .shadowReceiver {
            let uv = interpolated(coordinates, t, u, v)
            alpha = material.pointee.baseColor.w * texel(material.pointee.baseColorMap, uv).w * interpolated(colors, t, u, v).w
            alpha *= number(material.pointee.opacity, material.pointee.opacityMap, uv)
            if material.pointee.alphaMode == .mask { alpha = alpha >= material.pointee.alphaCutoff ? 1 : 0 }
        }
        return saturate(alpha * instance.opacity)
    }

    /// The radiance that a point of a triangle emits, without the share that a coat absorbs.
    @inline(__always) func emission(_ t: SIMD4<UInt32>, _ u: Float, _ v: Float) -> Vector3 {
        let m = materials + Int(instances[Int(t.w)].material)
        guard m.pointee.emissionMap.texture >= 0 else { return m.pointee.emission.xyz }
        return m.pointee.emission.xyz * texel(m.pointee.emissionMap, interpolated(coordinates, t, u, v)).xyz
    }

    /// Whether an instance's triangles light others. Not those that rays pass from behind: they would emit to one side only.
    func emits(_ instance: Int) -> Bool {
        let m = materials + Int(instances[instance].material)
        guard largest(m.pointee.emission.xyz) > 0 else { return false }
        switch m.pointee.model {
        case .constant, .shadowReceiver: return false
        case .physical, .lambert, .phong, .blinn: return !m.pointee.hasTransmission || m.pointee.hasVolume || m.pointee.isDoubleSided
        }
    }

    /// The surface that a ray has hit.
    ///
    /// - Parameters:
    ///   - view: Towards the ray's origin.
    ///   - channel: 0, 1, 2: the path has been dispersed and carries red, green or blue; nil: all.
    func surface(_ hit: WideHierarchy.Hit, view: Vector3, channel: Int?) -> SurfacePoint {
        let t = triangles[Int(hit.triangle)]
        let (u, v) = (hit.u, hit.v)
        let instance = instances[Int(t.w)]
        let m = materials + Int(instance.material)
        var geometric = unit(frontNormal(t))
        let isFront = dot(geometric, view) >= 0
        if !isFront { geometric = -geometric }
        var normal = geometric
        if instance.hasNormals {
            normal = unit(interpolated(normals, t, u, v))
            if !isFront { normal = -normal }
            if dot(normal, normal) < 0.5 { normal = geometric }
        }
        let smooth = normal
        let uv = interpolated(coordinates, t, u, v)
        var (x, y) = (Vector3(repeating: 0), Vector3(repeating: 0))
        if m.pointee.needsTangents {
            let tangent = tangent(t, u, v, instance, normal, isFront)
            (x, y) = (tangent.xyz, cross(normal, tangent.xyz) * tangent.w)
            if m.pointee.normalMap.texture >= 0 {
                let n = unpacked(texel(m.pointee.normalMap, uv), m.pointee.normalScale)
                normal = unit(x * n.x + y * n.y + normal * n.z)
            }
        }
        let position = interpolated(positions, t, u, v)
        var s = SurfacePoint(
            position: position, geometricNormal: geometric, tangent: x, bitangent: y, normal: reflecting(normal, view, geometric),
            coatNormal: smooth, isFront: isFront)
        readNumbers(&s, m, uv, color: interpolated(colors, t, u, v))
        if m.pointee.hasAnisotropy { turnFrame(&s, m, uv, smooth) }
        let along = s.tangent - s.normal * dot(s.tangent, s.normal)
        s.tangent = dot(along, along) > 1e-12 ? unit(along) : anyPerpendicular(s.normal)
        s.bitangent = cross(s.normal, s.tangent)
        if m.pointee.model == .physical { readLobes(&s, m, uv, view, smooth: smooth, x, y, channel) }
        return s
    }

    private func unpacked(_ texel: Vector4, _ scale: Float) -> Vector3 {
        unit((texel.xyz * 2 - Vector3(repeating: 1)) * Vector3(scale, scale, 1))
    }

    /// A normal that is bent towards the triangle's normal if the mirrored view direction would lie below the surface.
    @inline(__always) private func reflecting(_ n: Vector3, _ view: Vector3, _ geometric: Vector3) -> Vector3 {
        let r = n * (2 * dot(n, view)) - view
        let least = min(0.9 * dot(geometric, view), 0.01)
        let below = dot(r, geometric)
        if below >= least { return n }
        return unit(unit(r + geometric * (least - below)) + view)
    }

    /// Unit tangent, perpendicular to the normal, and the sign of the bitangent.
    private func tangent(_ t: SIMD4<UInt32>, _ u: Float, _ v: Float, _ instance: PathInstance, _ normal: Vector3, _ isFront: Bool)
        -> Vector4
    {
        var tangent = Vector4(0, 0, 0, 1)
        if instance.hasTangents {
            tangent = interpolated(tangents, t, u, v)
            tangent.w = tangent.w < 0 ? -1 : 1
            if !isFront { tangent.w = -tangent.w }
        } else {
            let (a, b, c) = (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
            let (p, q, r) = (coordinates[Int(t.x)], coordinates[Int(t.y)], coordinates[Int(t.z)])
            let (du1, dv1, du2, dv2) = (q.x - p.x, q.y - p.y, r.x - p.x, r.y - p.y)
            let determinant = du1 * dv2 - du2 * dv1
            if determinant != 0 {
                let along = ((b - a) * dv2 - (c - a) * dv1) * (determinant < 0 ? -1 : 1)
                let across = ((c - a) * du1 - (b - a) * du2) * (determinant < 0 ? -1 : 1)
                // v grows downwards in the image.
                tangent = Vector4(along, dot(cross(normal, along), across) > 0 ? -1 : 1)
            }
        }
        let projected = tangent.xyz - normal * dot(normal, tangent.xyz)
        let direction = dot(projected, projected) > 0 ? unit(projected) : anyPerpendicular(normal)
        return Vector4(direction, tangent.w)
    }

    private func readNumbers(_ s: inout SurfacePoint, _ m: UnsafePointer<PathMaterial>, _ uv: Vector4, color: Vector4) {
        s.model = m.pointee.model
        s.baseColor = m.pointee.baseColor.xyz * texel(m.pointee.baseColorMap, uv).xyz * color.xyz
        s.emission = m.pointee.emission.xyz
        if m.pointee.emissionMap.texture >= 0 { s.emission *= texel(m.pointee.emissionMap, uv).xyz }
        if s.model == .phong || s.model == .blinn {
            s.highlight = m.pointee.highlight.xyz * texel(m.pointee.highlightMap, uv).xyz
            s.shininess = m.pointee.highlight.w
        }
        guard s.model == .physical else { return }
        s.baseColor = saturate(s.baseColor)
        if m.pointee.roughnessMap == m.pointee.metalnessMap, m.pointee.roughnessMap.texture >= 0 {
            let texel = texel(m.pointee.roughnessMap, uv)
            s.roughness = saturate((texel * m.pointee.roughness).sum())
            s.metalness = saturate((texel * m.pointee.metalness).sum())
        } else {
            s.roughness = saturate(number(m.pointee.roughness, m.pointee.roughnessMap, uv))
            s.metalness = saturate(number(m.pointee.metalness, m.pointee.metalnessMap, uv))
        }
        s.facets = Microfacets(roughness: s.roughness)
    }

    private func turnFrame(_ s: inout SurfacePoint, _ m: UnsafePointer<PathMaterial>, _ uv: Vector4, _ smooth: Vector3) {
        var strength = m.pointee.anisotropy
        var direction = Vector2(1, 0)
        if m.pointee.anisotropyMap.texture >= 0 {
            let texel = texel(m.pointee.anisotropyMap, uv)
            direction = Vector2(texel.x * 2 - 1, texel.y * 2 - 1)
            strength *= texel.z
        }
        let turn = m.pointee.anisotropyDirection
        let turned = Vector2(turn.x * direction.x - turn.y * direction.y, turn.y * direction.x + turn.x * direction.y)
        s.tangent = s.tangent * turned.x + s.bitangent * turned.y
        s.anisotropy = saturate(strength)
        s.facets = AnisotropicEnergy.facets(roughness: s.roughness, strength: s.anisotropy)
    }

    private func readLobes(
        _ s: inout SurfacePoint, _ m: UnsafePointer<PathMaterial>, _ uv: Vector4, _ view: Vector3, smooth: Vector3, _ x: Vector3,
        _ y: Vector3, _ channel: Int?
    ) {
        s.ior = m.pointee.ior
        s.straightOn = Dielectric.straightOn(s.ior)
        s.dielectricTable = m.pointee.dielectricTable
        let specular = saturate(number(m.pointee.specular, m.pointee.specularMap, uv))
        let tint = m.pointee.specularColor * texel(m.pointee.specularColorMap, uv).xyz
        let f0 = tint * s.straightOn
        s.f0 = Vector3(min(f0.x, 1), min(f0.y, 1), min(f0.z, 1)) * specular
        s.f90 = specular
        if m.pointee.hasCoat, s.isFront || !m.pointee.hasTransmission {
            s.coat = saturate(number(m.pointee.coat, m.pointee.coatMap, uv))
            s.coatRoughness = saturate(number(m.pointee.coatRoughness, m.pointee.coatRoughnessMap, uv))
            if m.pointee.coatNormalMap.texture >= 0 {
                let n = unpacked(texel(m.pointee.coatNormalMap, uv), m.pointee.coatNormalScale)
                s.coatNormal = unit(x * n.x + y * n.y + smooth * n.z)
            }
            s.coatNormal = reflecting(s.coatNormal, view, s.geometricNormal)
        }
        if m.pointee.hasSheen, s.isFront || !m.pointee.hasTransmission {
            s.sheenColor = saturate(m.pointee.sheenColor * texel(m.pointee.sheenColorMap, uv).xyz)
            let roughness = saturate(number(m.pointee.sheenRoughness, m.pointee.sheenRoughnessMap, uv))
            s.sheenRoughness = max(roughness, SheenLobe.leastRoughness)
        }
        if m.pointee.hasFilm {
            s.film = saturate(number(m.pointee.iridescence, m.pointee.iridescenceMap, uv))
            s.filmIOR = m.pointee.filmIOR
            s.filmThickness = mix(m.pointee.filmMinimum, m.pointee.filmMaximum, texel(m.pointee.filmThicknessMap, uv).y)
            s.film *= smoothstep(Float(0), 0.03, s.filmThickness)
        }
        if m.pointee.hasTransmission {
            s.transmission = saturate(number(m.pointee.transmission, m.pointee.transmissionMap, uv))
            s.isThin = !m.pointee.hasVolume
            var ior = s.ior
            if m.pointee.hasDispersion, let channel { ior += (s.ior - 1) * 0.025 * m.pointee.dispersion * Float(channel - 1) }
            let ratio = Dielectric.ratio(ior)
            s.ratio = s.isFront ? ratio : 1 / ratio
            s.glassTable = s.isFront ? m.pointee.outerGlassTable : m.pointee.innerGlassTable
        }
    }
}
