/// Light from rectangles and discs: linearly transformed cosines (Heitz, Dupuy, Hill and Neubelt 2016).
///
/// A cosine lobe over a polygon has a closed form; the reflection of microfacets is a cosine lobe transformed by a matrix, so the polygon
/// transformed by its inverse, integrated by the same form, is the light that the surface reflects of it. A disc is a polygon of equal area.
let areaLightShader = """
    const AREA_RECTANGLE = 1u;
    const AREA_DISC = 2u;
    const DISC_CORNERS = 16u;
    const AREA_TABLE_SIZE = \(AreaLightTable.size)u;
    // Two cells per vector, two half floats per number.
    @group(0) @binding(\(FrameBindings.areaLights)) var<uniform> areaTable: array<vec4u, \(AreaLightTable.size * AreaLightTable.size / 2)>;

    fn areaCell(column: u32, row: u32) -> vec4f {
        let index = row * AREA_TABLE_SIZE + column;
        let pair = areaTable[index >> 1u];
        let cell = select(pair.xy, pair.zw, (index & 1u) == 1u);
        return vec4f(unpack2x16float(cell.x), unpack2x16float(cell.y));
    }

    // The inverse of the matrix that makes a cosine lobe of the reflection.
    fn areaMatrix(roughness: f32, nv: f32) -> mat3x3f {
        let last = f32(AREA_TABLE_SIZE - 1u);
        let at = clamp(vec2f(roughness, sqrt(max(1.0 - nv, 0.0))) * last, vec2f(0.0), vec2f(last));
        let low = min(vec2u(at), vec2u(AREA_TABLE_SIZE - 2u));
        let part = at - vec2f(low);
        let upper = mix(areaCell(low.x, low.y), areaCell(low.x + 1u, low.y), part.x);
        let lower = mix(areaCell(low.x, low.y + 1u), areaCell(low.x + 1u, low.y + 1u), part.x);
        let m = mix(upper, lower, part.y);
        return mat3x3f(vec3f(m.x, 0.0, m.z), vec3f(0.0, 1.0, 0.0), vec3f(m.y, 0.0, m.w));
    }

    // An edge's part of the cosine lobe over a polygon (Lambert): the angle that it fills times the height of its normal.
    fn areaEdge(a: vec3f, b: vec3f) -> f32 {
        let u = normalize(a);
        let v = normalize(b);
        let normal = cross(u, v);
        let sine = length(normal);
        if (sine < 1e-7) { return 0.0; }
        return normal.z * atan2(sine, dot(u, v)) / sine;
    }

    fn areaCorner(light: Light, index: u32) -> vec3f {
        if (light.shape == AREA_RECTANGLE) {
            let x = select(-1.0, 1.0, index == 1u || index == 2u);
            let y = select(-1.0, 1.0, index >= 2u);
            return light.right.xyz * x + light.up.xyz * y;
        }
        let angle = f32(index) * (2.0 * PI / f32(DISC_CORNERS));
        // As large as the disc.
        return (light.right.xyz * cos(angle) + light.up.xyz * sin(angle)) * 1.0130059;
    }

    // The share, 0…1, of a cosine lobe around +z that the light fills, once its corners are transformed to the lobe's frame.
    fn areaShare(transform: mat3x3f, offset: vec3f, light: Light) -> f32 {
        let count = select(DISC_CORNERS, 4u, light.shape == AREA_RECTANGLE);
        var sum = 0.0;
        var isCut = false;
        var leaving = vec3f(0.0);
        var entering = vec3f(0.0);
        var previous = transform * (offset + areaCorner(light, count - 1u));
        var wasAbove = previous.z >= 0.0;
        var i = 0u;
        loop {
            let corner = transform * (offset + areaCorner(light, i));
            let isAbove = corner.z >= 0.0;
            // Where an edge crosses the horizon.
            let cut = vec3f((previous.xy * corner.z - corner.xy * previous.z) / (corner.z - previous.z), 0.0);
            if (wasAbove || isAbove) { sum += areaEdge(select(cut, previous, wasAbove), select(cut, corner, isAbove)); }
            if (wasAbove != isAbove) {
                isCut = true;
                leaving = select(leaving, cut, wasAbove);
                entering = select(entering, cut, isAbove);
            }
            previous = corner;
            wasAbove = isAbove;
            continuing {
                i += 1u;
                break if (i >= count);
            }
        }
        if (isCut) { sum += areaEdge(leaving, entering); }
        return abs(sum) / (2.0 * PI);
    }

    // World to a frame around a normal, the view in its xz plane.
    fn areaFrame(normal: vec3f, view: vec3f) -> mat3x3f {
        var x = view - normal * dot(view, normal);
        let squared = dot(x, x);
        if (squared < 1e-8) {
            var side = vec3f(0.0, 1.0, 0.0);
            if (abs(normal.y) > 0.9) { side = vec3f(1.0, 0.0, 0.0); }
            x = normalize(cross(side, normal));
        } else {
            x *= inverseSqrt(squared);
        }
        return transpose(mat3x3f(x, cross(normal, x), normal));
    }

    // World to the frames in which a surface's lobes are cosine lobes: of diffuse light, of the reflection, of the coat's reflection.
    struct AreaFrames {
        diffuse: mat3x3f,
        mirror: mat3x3f,
    #if COAT
        coat: mat3x3f,
    #endif
    }

    // For all lights: the table is slow to read where neighbouring pixels differ.
    fn areaFrames(s: Surface) -> AreaFrames {
        var f: AreaFrames;
        f.diffuse = areaFrame(s.normal, s.view);
    #if PHYSICAL
        f.mirror = areaMatrix(s.roughness, max(dot(s.normal, s.view), 1e-3)) * f.diffuse;
    #endif
    #if COAT
        f.coat = areaMatrix(s.coatRoughness, max(dot(s.coatNormal, s.view), 1e-3)) * areaFrame(s.coatNormal, s.view);
    #endif
        return f;
    }
    """
